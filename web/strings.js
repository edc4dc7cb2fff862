// Every word of the page: key | English | Japanese. {n} is filled in; {n:job|jobs} chooses by number.
const TABLE = `
nav.label|Main|メイン
nav.overview|Overview|概要
nav.jobs|Jobs|ジョブ
nav.failed|Failed|失敗
nav.plans|Plans|プラン
nav.workers|Workers|ワーカー
skip|Skip to content|本文へ移動
as_of|as of {clock}|{clock} 現在
live.live|Live|ライブ
live.connecting|Connecting|接続中
live.lost|Polling|定期更新
live.away|Not up to date|最新ではありません
loading|Loading …|読み込み中…
stale.database|The database does not answer|データベースが応答していません
stale.server|The server cannot be reached|サーバーに接続できません
stale.data|You see the state of {clock}, {age} ago. It is loaded again as soon as possible.|{clock}（{age}前）の状態を表示しています。復旧しだい更新します。
error.403|Your role does not allow this|この操作を行う権限がありません
error.404|There is nothing under this address|見つかりませんでした
theme.auto|Theme: as the system|テーマ：システムに合わせる
theme.light|Theme: light|テーマ：ライト
theme.dark|Theme: dark|テーマ：ダーク
sign_out|Sign out {user}|{user} をサインアウト
sign_in.title|Sign in|サインイン
sign_in.token|Token|トークン
sign_in.wrong|This token is unknown or revoked.|このトークンは無効か、取り消されています。
sign_in.how|An administrator makes tokens with:|トークンは管理者が次のコマンドで発行します：
unit.ms|{n} ms|{n}ミリ秒
unit.s|{n} s|{n}秒
unit.min|{n} min|{n}分
unit.h|{n} h|{n}時間
unit.d|{n} d|{n}日
time.now|now|たった今
time.ago|{n} ago|{n}前
time.in|in {n}|{n}後
status.queued|Waiting|待機中
status.processing|Running|実行中
status.delayed|Delayed|遅延
status.held|Held|保留
status.succeeded|Succeeded|成功
status.failed|Failed|失敗
status.cancelled|Cancelled|取消済み
status.alive|Alive|稼働中
status.gone|Gone|応答なし
kind.running|Running|稼働中
kind.paused|Paused|一時停止中
kind.no_worker|No worker|ワーカーなし
figure.waiting|waiting|待機
figure.running|running|実行
figure.delayed|delayed|遅延
figure.held|held|保留
figure.failed|failed|失敗
overview.none|No kinds yet|種類がまだありません
overview.none_text|Attach a job table: SELECT rowrunner.attach('my_jobs', kind => 'my_kind')|ジョブテーブルを登録してください：SELECT rowrunner.attach('my_jobs', kind => 'my_kind')
overview.oldest|Oldest waits {age}|最長待ち時間 {age}
overview.idle|Nothing waits|待機なし
overview.errors|{part} failed|失敗率 {part}
overview.workers|{n} {n:worker|workers}|ワーカー {n}
spark.label|Jobs a minute in the last hour: now {now}, at most {most}|直近1時間の毎分ジョブ数：現在 {now}、最大 {most}
spark.most|up to {n} a minute|毎分 最大 {n}
spark.at|{time} · {ok} succeeded, {bad} failed|{time} · 成功 {ok}、失敗 {bad}
problems|Problems|問題
problem.no_live_worker|No worker serves {kind}|{kind} を処理するワーカーがいません
problem.vacuum_blocked|A session blocks VACUUM|セッションが VACUUM を妨げています
problem.oldest_too_old|Jobs of {kind} wait too long|{kind} のジョブが長く待たされています
problem.database_slow|The database is slow|データベースの応答が遅くなっています
jobs.status|Status|状態
jobs.kind|Kind|種類
jobs.all|All|すべて
jobs.every_kind|Every kind|すべての種類
jobs.search|Find by id|IDで検索
jobs.not_found|There is no job {id}|ジョブ {id} はありません
jobs.select|Select {name}|{name} を選択
jobs.select_page|Select all rows|すべての行を選択
jobs.selected|{n} selected|{n}件を選択中
jobs.actions|Actions|操作
jobs.count|{n} {n:job|jobs}|{n}件
jobs.shown|{n} shown|{n}件を表示
jobs.window|Only the newest jobs were searched|最新のジョブだけを検索しました
jobs.fresh|Show {n} new {n:row|rows}|新しい行 {n}件を表示
jobs.none|No jobs here|該当するジョブはありません
jobs.none_text|New ones appear by themselves.|新しいジョブは自動的に表示されます。
jobs.attempts|{n} of {of}|{n}／{of}回
jobs.runs|runs|実行
jobs.pages|Pages|ページ
jobs.first|Newest|最新へ
jobs.next|Next|次へ
failed.none|Nothing has failed|失敗したジョブはありません
failed.none_text|Jobs that used up their attempts appear here, grouped by error.|試行回数を使い切ったジョブが、エラーごとにここに並びます。
failed.all|All errors|すべてのエラー
failed.more|There are more groups than shown|表示しきれないグループがあります
failed.first|first|初回
failed.last|last|最新
failed.sample|for example|例
failed.canary|Retried one:|1件を再試行：
failed.members|Jobs with this error|このエラーのジョブ
operation.running|Retrying {kind}: {n} of {of}|{kind} を再試行中：{n}／{of}件
operation.done|Retried {n} of {kind}|{kind} の {n}件を再試行しました
operation.cancelled|Stopped after {n} of {kind}|{kind} の {n}件で停止しました
job.progress|Progress|進捗
job.done_of|{n} of {of}|{n}／{of}
job.left|about {time} left|残り約{time}
job.error|Last error|最後のエラー
job.facts|Details|詳細
job.attempts|Attempts|試行回数
job.priority|Priority|優先度
job.created|Created|作成
job.run_at|Due|実行予定
job.updated|Updated|更新
job.worker|Worker|ワーカー
job.timeline|Timeline|経過
job.attempt|Attempt {n}|{n}回目の試行
job.took|took {time}|所要 {time}
job.steps|Steps|ステップ
job.result|Result|結果
why.title|Why is it not running?|なぜ実行されないのか
why.paused|The kind {kind} is paused. Resume it on the overview.|種類 {kind} は一時停止中です。概要から再開できます。
why.no_worker|No worker has reported for {kind} in the last 30 seconds. Start one that serves it.|{kind} を処理するワーカーから30秒以上報告がありません。ワーカーを起動してください。
why.delayed|It is delayed until {run_at}.|{run_at} まで実行を待っています。
why.held|It waits for {left} of {total} jobs to end.|{total}件中{left}件のジョブの終了を待っています。
why.held_by_hand|It is held until its run_at is changed.|run_at が変更されるまで保留されています。
why.position|It is about number {nth} in the queue.|キューのおよそ{nth}番目です。
why.entering|It is about to enter the queue.|まもなくキューに入ります。
why.row_locked|Its row is locked by session {pid} ({application}, since {since}).|行がセッション {pid}（{application}、{since} から）にロックされています。
why.table_locked|Its table is locked by session {pid} ({application}, since {since}).|テーブルがセッション {pid}（{application}、{since} から）にロックされています。
why.claim_error|It could not be claimed: {error}|取得できませんでした：{error}
why.no_entry|It has no queue entry. Run: rowrunner kinds repair {kind}|キューに登録されていません。rowrunner kinds repair {kind} を実行してください。
why.no_triggers|Triggers of its table are missing or disabled. Attach the table again.|テーブルのトリガーがないか無効です。テーブルを登録し直してください。
why.lost_worker|Worker {worker} was lost. Another one takes the job back.|ワーカー {worker} が失われました。別のワーカーが引き継ぎます。
why.vacuum_blocked|Claims are slow while VACUUM is blocked by {session}.|{session} が VACUUM を妨げているため、取得が遅くなっています。
plans.none|No plans yet|プランはまだありません
plans.none_text|Import one: rowrunner plan import examples/kyoto.json --enqueue|取り込み：rowrunner plan import examples/kyoto.json --enqueue
plan.ready|{n} of {of} pictures are ready|{of}枚中{n}枚が完成
plan.failed|{n} failed|{n}枚が失敗
plan.processing|Painting …|生成中…
plan.waiting|Waiting|待機中
plan.again|attempt {n} of {of}|{n}／{of}回目
plan.tile_failed|No picture|生成に失敗しました
plan.broken|The picture could not be loaded|画像を読み込めませんでした
workers.none|No worker has reported|ワーカーの報告がありません
workers.none_text|Start one: rowrunner worker|起動：rowrunner worker
workers.more|Only the newest 500 are shown|最新の500件を表示しています
workers.running|{n} {n:job|jobs}|{n}件実行中
workers.up|started|起動
workers.seen|seen|最終報告
act.retry|Retry|再試行
act.retry_one|Retry one|1件を再試行
act.retry_all|Retry all {n}|{n}件すべてを再試行
act.retry_matching|Retry all {n} matching|該当する{n}件すべてを再試行
act.cancel|Cancel|取り消す
act.run-now|Run now|今すぐ実行
act.pause|Pause|一時停止
act.resume|Resume|再開
act.stop|Stop|停止
act.clear|Clear selection|選択を解除
act.look|Show|確認
ask.keep|Keep as it is|やめる
ask.retry|Retry {n} {n:job|jobs}?|{n}件のジョブを再試行しますか？
ask.cancel|Cancel {n} {n:job|jobs}?|{n}件のジョブを取り消しますか？
ask.run-now|Run {n} {n:job|jobs} now?|{n}件のジョブを今すぐ実行しますか？
ask.selected|{n} selected of: {filter}.|選択中の{n}件（{filter}）が対象です。
ask.all|This queues {n} jobs again: {filter}. It goes on if you close the page.|{n}件（{filter}）をキューに戻します。ページを閉じても続行されます。
ask.pause|Pause {kind}?|{kind} を一時停止しますか？
ask.pause_text|Running jobs go on. No new job of {kind} is started; {n} are waiting.|実行中のジョブは続きます。{kind} の新しいジョブは開始されません（待機中 {n}件）。
ask.cancel_one|Cancel {name}?|{name} を取り消しますか？
ask.cancel_text|A running job is told to stop.|実行中の場合は停止を要求します。
done.retry|{n} {n:job|jobs} queued again.|{n}件をキューに戻しました。
done.cancel|{n} {n:job|jobs} cancelled.|{n}件を取り消しました。
done.requested|The job was told to stop.|停止を要求しました。
done.run-now|{n} {n:job|jobs} due now.|{n}件を今すぐ実行します。
done.refused|{n} refused.|{n}件は拒否されました。
done.operation|Started. The progress is under Failed.|開始しました。進捗は「失敗」で確認できます。
done.stopped|Stopped.|停止しました。
done.pause|{kind} is paused.|{kind} を一時停止しました。
done.resume|{kind} goes on.|{kind} を再開しました。
keys.title|Keyboard|キーボード操作
keys.close|Close|閉じる
keys.j|next row|次の行
keys.k|previous row|前の行
keys.x|select the row|行を選択
keys./|find a job|ジョブを検索
keys.r|retry|再試行
keys.t|light or dark|テーマの切り替え
keys.?|this list|この一覧
keys.esc|clear the selection|選択を解除`;

const words = new Map();
for (const line of TABLE.trim().split('\n')) {
	// A bar inside of {…} belongs to a text.
	const [key, ...texts] = line.split(/\|(?![^{]*\})/);
	words.set(key, texts);
}

let lang = document.documentElement.lang;

export const language = () => lang;
export const has = (key) => words.has(key);

export function setLanguage(next) {
	lang = next;
	document.documentElement.lang = next;
}

/** The text of a key, with {name} replaced; what is missing stays as it is. */
export function t(key, vars = {}) {
	const [english, japanese] = words.get(key) ?? [key, key];
	return (lang === 'ja' ? japanese : english).replace(/\{(\w+)(?::(\w+)\|(\w+))?\}/g, (all, name, one, many) => {
		if (vars[name] === undefined || vars[name] === null) return all;
		if (one) return String(vars[name]) === '1' ? one : many;
		return vars[name];
	});
}
