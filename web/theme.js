// Runs before the first paint, so that a chosen theme does not flash. Not a module: those run later.
{
	const stored = (name) => {
		try {
			return localStorage.getItem(`rowrunner.${name}`);
		} catch {
			return null;
		}
	};
	const root = document.documentElement;
	const theme = stored('theme');
	if (theme) root.dataset.theme = theme;
	root.lang = stored('lang') ?? (navigator.language.startsWith('ja') ? 'ja' : 'en');
}
