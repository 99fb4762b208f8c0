// What the anonymous pages are compared with: `node:http` and nothing else, sending the same compressed bytes.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [file = '', encoding = ''] = process.argv.slice(2);
const body = readFileSync(file);
const head = {
  'content-type': 'text/html; charset=utf-8',
  'content-encoding': encoding,
  'content-length': body.length,
};
const server = createServer((_request, response) => {
  response.writeHead(200, head);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
