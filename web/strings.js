// Every word of the page: key | English | Japanese, under #prefix. {n} is filled in; {n:job|jobs} chooses.
const TABLE = `
skip|Skip to content|本文へ移動
as_of|as of {clock}|{clock} 現在
loading|Loading …|読み込み中…
sign_out|Sign out {user}|{user} をサインアウト
problems|Problems|問題
more|There are more than shown.|表示しきれないものがあります。
#nav
label|Main|メイン
overview|Overview|概要
jobs|Jobs|ジョブ
failed|Failed|失敗
plans|Plans|プラン
pdf|PDF|PDF解析
documents|Documents|文書
relay|OCR relay|OCR連携
scoring|Scoring|採点
workers|Workers|ワーカー
#live
live|Live|ライブ
connecting|Connecting|接続中
lost|Polling|定期更新
away|Not up to date|最新ではありません
#stale
database|The database does not answer|データベースが応答していません
server|The server cannot be reached|サーバーに接続できません
data|You see the state of {clock}, {age} ago.|{clock}（{age}前）の状態を表示しています。
#error
403|Your role does not allow this|この操作を行う権限がありません
404|Not found|見つかりませんでした
#theme
auto|Theme: automatic|テーマ：自動
light|Theme: light|テーマ：ライト
dark|Theme: dark|テーマ：ダーク
#sign_in
title|Sign in|サインイン
token|Token|トークン
wrong|This token is unknown or revoked.|このトークンは無効か、取り消されています。
how|An administrator makes tokens with:|トークンは管理者が次のコマンドで発行します：
#unit
ms|{n} ms|{n}ミリ秒
s|{n} s|{n}秒
min|{n} min|{n}分
h|{n} h|{n}時間
d|{n} d|{n}日
#time
now|now|たった今
ago|{n} ago|{n}前
in|in {n}|{n}後
#status
queued|Waiting|待機中
processing|Running|実行中
delayed|Delayed|遅延
held|Held|保留
succeeded|Succeeded|成功
failed|Failed|失敗
cancelled|Cancelled|取消済み
alive|Alive|稼働中
gone|Gone|応答なし
#kind
running|Running|稼働中
paused|Paused|一時停止中
no_worker|No worker|ワーカーなし
#figure
waiting|waiting|待機
running|running|実行
delayed|delayed|遅延
held|held|保留
failed|failed|失敗
#overview
none|Attach a job table first|まずジョブテーブルを登録してください
oldest|Oldest waits {age}|最長待ち時間 {age}
idle|Nothing waits|待機なし
errors|{part} failed|失敗率 {part}
workers|{n} {n:worker|workers}|ワーカー {n}
#spark
label|Jobs a minute in the last hour: now {now}, at most {most}|直近1時間の毎分ジョブ数：現在 {now}、最大 {most}
most|up to {n} a minute|毎分 最大 {n}
at|{time} · {ok} succeeded, {bad} failed|{time} · 成功 {ok}、失敗 {bad}
#problem
no_live_worker|No worker serves {kind}|{kind} を処理するワーカーがいません
table_locked|The table of {kind} is locked|{kind} のテーブルがロックされています
vacuum_blocked|A session blocks VACUUM|セッションが VACUUM を妨げています
claims_fail|Claims of {kind} fail|{kind} の取得に失敗
oldest_too_old|Jobs of {kind} wait too long|{kind} のジョブが長く待たされています
database_slow|The database is slow|データベースの応答が遅くなっています
#jobs
status|Status|状態
kind|Kind|種類
all|All|すべて
every_kind|Every kind|すべての種類
search|Find by id|IDで検索
not_found|There is no job {id}|ジョブ {id} はありません
select|Select {name}|{name} を選択
select_page|Select all rows|すべての行を選択
selected|{n} selected|{n}件を選択中
actions|Actions|操作
count|{n} {n:job|jobs}|{n}件
shown|{n} shown|{n}件を表示
window|Only the newest jobs were searched|最新のジョブだけを検索しました
none|No jobs here|該当するジョブはありません
attempts|{n} of {of}|{n}／{of}回
runs|runs|実行
pages|Pages|ページ
first|Newest|最新へ
next|Next|次へ
#failed
none|Nothing has failed|失敗したジョブはありません
all|All errors|すべてのエラー
first|first|初回
last|last|最新
sample|for example|例
canary|Retried one:|1件を再試行：
members|Jobs with this error|このエラーのジョブ
#operation
running|Retrying {kind}: {n} of {of}|{kind} を再試行中：{n}／{of}件
done|Retried {n} of {kind}|{kind} の {n}件を再試行しました
cancelled|Stopped after {n} of {kind}|{kind} の {n}件で停止しました
#job
progress|Progress|進捗
done_of|{n} of {of}|{n}／{of}
left|about {time} left|残り約{time}
error|Last error|最後のエラー
row|Row|行
created|Created|作成
timeline|Timeline|経過
attempt|Attempt {n}|{n}回目の試行
took|took {time}|所要 {time}
steps|Steps|ステップ
result|Result|結果
#why
title|Why is it not running?|なぜ実行されないのか
paused|The kind {kind} is paused. Resume it on the overview.|種類 {kind} は一時停止中です。概要から再開できます。
no_worker|No worker has reported for {kind} in the last 30 seconds. Start one.|30秒以内に報告した {kind} のワーカーがありません。起動してください。
delayed|It is delayed until {run_at}.|{run_at} まで実行を待っています。
held|It waits for {left} of {total} jobs to end.|{total}件中{left}件のジョブの終了を待っています。
held_by_hand|It is held until its run_at is changed.|run_at が変更されるまで保留されています。
position|It is about number {nth} in the queue.|キューのおよそ{nth}番目です。
entering|It is about to enter the queue.|まもなくキューに入ります。
row_locked|Its row is locked by session {pid} ({application}, since {since}).|行がセッション {pid}（{application}、{since} から）にロックされています。
table_locked|Its table is locked by session {pid} ({application}, since {since}).|テーブルがセッション {pid}（{application}、{since} から）にロックされています。
claim_error|It could not be claimed: {error}|取得できませんでした：{error}
claims_fail|Claims fail: {error}|取得に失敗：{error}
no_entry|It has no queue entry. Run: rowrunner kinds repair {kind}|キューに登録されていません。rowrunner kinds repair {kind} を実行してください。
no_triggers|Triggers of its table are missing or disabled. Attach the table again.|テーブルのトリガーがないか無効です。テーブルを登録し直してください。
lost_worker|Worker {worker} was lost. Another one takes the job back.|ワーカー {worker} が失われました。別のワーカーが引き継ぎます。
vacuum_blocked|Claims are slow while VACUUM is blocked by {session}.|{session} が VACUUM を妨げているため、取得が遅くなっています。
#workers
none|Start a worker|ワーカーを起動してください
running|{n} {n:job|jobs}|{n}件実行中
up|started|起動
seen|seen|最終報告
#act
fresh|Show {n} new {n:row|rows}|新しい行 {n}件を表示
retry|Retry|再試行
retry_one|Retry one|1件を再試行
retry_all|Retry all {n}|{n}件すべてを再試行
retry_matching|Retry all {n} matching|該当する{n}件すべてを再試行
cancel|Cancel|取り消す
run-now|Run now|今すぐ実行
pause|Pause|一時停止
resume|Resume|再開
stop|Stop|停止
clear|Clear selection|選択を解除
look|Show|確認
#ask
keep|Keep as it is|やめる
retry|Retry {n} {n:job|jobs}?|{n}件のジョブを再試行しますか？
cancel|Cancel {n} {n:job|jobs}?|{n}件のジョブを取り消しますか？
run-now|Run {n} {n:job|jobs} now?|{n}件のジョブを今すぐ実行しますか？
selected|{filter}: {n} selected.|{filter}：{n}件を選択中。
all|This queues {n} jobs again: {filter}.|{n}件（{filter}）をキューに戻します。
pause|Pause {kind}?|{kind} を一時停止しますか？
pause_text|Running jobs go on. No new job of {kind} is started; {n} are waiting.|実行中のジョブは続きます。{kind} の新しいジョブは開始されません（待機中 {n}件）。
#done
retry|{n} {n:job|jobs} queued again.|{n}件をキューに戻しました。
cancel|{n} {n:job|jobs} cancelled or told to stop.|{n}件を取り消したか、停止を要求しました。
run-now|{n} {n:job|jobs} due now.|{n}件を今すぐ実行します。
refused|{n} refused.|{n}件は拒否されました。
operation|Started; see Failed.|開始しました（「失敗」を参照）。
pause|{kind} is paused.|{kind} を一時停止しました。
resume|{kind} goes on.|{kind} を再開しました。
#keys
title|Keyboard|キーボード操作
close|Close|閉じる
j|next row|次の行
k|previous row|前の行
x|select the row|行を選択
/|find a job|ジョブを検索
r|retry|再試行
t|light or dark|テーマの切り替え
?|this list|この一覧
esc|clear the selection|選択を解除`;

const words = new Map();

// The words of a workload come with its views.
export function addWords(table) {
	let prefix = '';
	for (const line of table.trim().split('\n')) {
		// A bar inside of {…} belongs to a text.
		const [key, ...texts] = line.split(/\|(?![^{]*\})/);
		if (key[0] === '#') prefix = `${key.slice(1)}.`;
		else words.set(prefix + key, texts);
	}
}
addWords(TABLE);

let lang = document.documentElement.lang;

export const language = () => lang;
export const has = key => words.has(key);

export function setLanguage(next) {
	lang = next;
	document.documentElement.lang = next;
}

// The text of a key, with {name} replaced; what is missing stays as it is.
export function t(key, vars = {}) {
	const [english, japanese] = words.get(key) ?? [key, key];
	return (lang === 'ja' ? japanese : english).replace(/\{(\w+)(?::(\w+)\|(\w+))?\}/g, (all, name, one, many) => {
		if (vars[name] === undefined || vars[name] === null) return all;
		if (one) return String(vars[name]) === '1' ? one : many;
		return typeof vars[name] === 'number' ? vars[name].toLocaleString(lang) : vars[name];
	});
}
