// A data API that responds to every operation immediately with the same messages. Argument: how many, by default two.
import { createServer } from 'node:http';

const [count = '2'] = process.argv.slice(2);
const items = Array.from({ length: Number(count) }, (_, index) => ({
  id: String(index + 1),
  content: 'A message of some length',
  createdAt: '2026-01-01T00:00:00.000Z',
  // A visitor's own messages have a form that deletes them.
  mine: index % 4 === 3,
  author: 'k7c4',
}));
/** @type {import('../../../app/graphql/messages.graphql.generated.ts').ListMessages} */
const data = { listMessages: { items, nextToken: null } };
const body = JSON.stringify({ data });
const head = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, head);
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
