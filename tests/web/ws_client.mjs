// ws_client.mjs URL TOKEN: the WebSocket of document 003 with the package ws. Prints each message on a line, then
// {"closed": CODE}.
import WebSocket from 'ws';

const [url, token] = process.argv.slice(2);
const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${token}` } });
socket.on('message', (data, binary) => console.log(JSON.stringify({ binary, ...JSON.parse(data) })));
socket.on('close', (code) => console.log(JSON.stringify({ closed: code })));
