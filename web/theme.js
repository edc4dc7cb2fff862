// Runs before the first paint, so that a chosen theme does not flash.
{
	const root = document.documentElement;
	root.lang = navigator.language.startsWith('ja') ? 'ja' : 'en';
	try {
		root.dataset.theme = localStorage.rowrunnerTheme ?? 'auto';
		root.lang = localStorage.rowrunnerLang ?? root.lang;
	} catch {} // no storage
}
