/** Sends the time of the server every second. */
export function loader(): Response {
  let timer: NodeJS.Timeout;
  const events = new ReadableStream<string>({
    start(controller) {
      const send = () => controller.enqueue(`data: ${new Date().toISOString()}\n\n`);
      send();
      timer = setInterval(send, 1000);
    },
    // Called when the client has left and when the process stops. Listeners of `request.signal` may be lost in Node 20.
    cancel() {
      clearInterval(timer);
    },
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
  return new Response(events.pipeThrough(new TextEncoderStream()), { headers });
}
