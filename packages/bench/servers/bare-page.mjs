// A server of `node:http` alone, which sends one response again and again. Arguments: the file with the body, and the
// head as a JSON array of names and values in turn.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [file = '', headJson = '[]'] = process.argv.slice(2);
const body = readFileSync(file);
const head = JSON.parse(headJson);
const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  response.writeHead(200, head);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
