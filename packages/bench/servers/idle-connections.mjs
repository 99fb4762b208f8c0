// Opens COUNT connections to the port PORT from several addresses, sends one request on each, and keeps them open.
import { connect } from 'node:net';

const [port = 0, count = 0] = process.argv.slice(2).map(Number);
/** The site accepts some 2,000 connections of one address. */
const PER_ADDRESS = 2000;
const PER_TICK = 50;
const TICK_MS = 50;

let tried = 0;
const timer = setInterval(() => {
  for (let index = 0; index < PER_TICK && tried < count; index += 1, tried += 1) {
    const localAddress = `127.0.1.${1 + Math.floor(tried / PER_ADDRESS)}`;
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    socket.on('error', () => {});
    socket.once('connect', () => {
      socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    });
    socket.resume();
  }
  if (tried === count) clearInterval(timer);
}, TICK_MS);
