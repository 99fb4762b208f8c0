/** How much memory running processes really need, asked through Node's own inspector: nothing in them has to help. */
import { once } from 'node:events';
import { WebSocket } from 'undici';
import type { Site } from './site.ts';

export type HeapInspector = {
  /** Bytes that the processes still use after a collection, on their heaps and in buffers. */
  bytesInUse(): Promise<number>;
  /** How many instances of a global class they still hold after a collection. */
  instancesOf(className: string): Promise<number>;
  /** Has to be called before the processes are to end: they would wait for it. */
  close(): void;
};

/** With this in its environment a process can be asked. */
export const INSPECTOR_ENVIRONMENT = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Connects to the processes of a site that was started with `INSPECTABLE`. */
export async function openHeapInspector(machines: readonly Site[]): Promise<HeapInspector> {
  const heaps = await Promise.all(machines.map(openOne));
  const sum = async (ask: (heap: HeapInspector) => Promise<number>) =>
    (await Promise.all(heaps.map(ask))).reduce((total, each) => total + each);
  return {
    bytesInUse: () => sum((heap) => heap.bytesInUse()),
    instancesOf: (className) => sum((heap) => heap.instancesOf(className)),
    close() {
      for (const heap of heaps) heap.close();
    },
  };
}

async function openOne(site: Site): Promise<HeapInspector> {
  const url = /Debugger listening on (ws:\S+)/.exec(site.output())?.[1];
  if (!url) throw new Error('The site was not started with INSPECTABLE');
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let last = 0;
  const call = async (method: string, params = {}) => {
    const id = ++last;
    socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [{ data }] = await once(socket, 'message');
      const message = JSON.parse(String(data));
      if (message.id === id) return message.result;
    }
  };
  return {
    async bytesInUse() {
      await call('HeapProfiler.collectGarbage');
      const expression = 'process.memoryUsage().heapUsed + process.memoryUsage().external';
      return Number((await call('Runtime.evaluate', { expression })).result.value);
    },
    async instancesOf(className) {
      const expression = `${className}.prototype`;
      const { result } = await call('Runtime.evaluate', { expression });
      // It collects first.
      const { objects } = await call('Runtime.queryObjects', { prototypeObjectId: result.objectId });
      const count = {
        functionDeclaration: 'function () { return this.length; }',
        objectId: objects.objectId,
      };
      const { result: length } = await call('Runtime.callFunctionOn', { ...count, returnByValue: true });
      await call('Runtime.releaseObject', { objectId: objects.objectId });
      return Number(length.value);
    },
    close: () => socket.close(),
  };
}
