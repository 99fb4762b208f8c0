/** The server of ws 7. `@types/ws` describes ws 8, which has it under another name. */
declare module 'ws/lib/websocket-server.js' {
  export { WebSocketServer as default } from 'ws';
}
