// A data API that responds to every operation immediately with the same two messages.
import { createServer } from 'node:http';

const message = {
  createdAt: '2026-01-01T00:00:00.000Z',
  owner: 'someone',
  content: 'A message of some length',
};
const items = ['1', '2'].map((id) => ({ __typename: 'Message', id, isMine: false, ...message }));
const body = JSON.stringify({ data: { listMessages: { items, nextToken: null } } });
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
