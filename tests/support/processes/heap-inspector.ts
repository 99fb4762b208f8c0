/** Measures the memory and CPU time of running processes through Node's inspector, without any code of theirs. */
import { once } from 'node:events';
import { WebSocket } from 'undici';
import type { Site } from './site.ts';

export type HeapInspector = {
  /** Returns the bytes in use on the heaps and in buffers after a garbage collection. */
  bytesInUse(): Promise<number>;
  /** Returns the number of live instances of a global class after a garbage collection. */
  instancesOf(className: string): Promise<number>;
  /** Returns the milliseconds of CPU time that all threads have used so far. */
  cpuMs(): Promise<number>;
  /** Must be called before the processes are stopped: they wait for the inspector to disconnect. */
  close(): void;
};

/** Environment of a process that can be inspected. */
export const INSPECTOR_ENVIRONMENT = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Connects to the processes of a site that was started with `INSPECTOR_ENVIRONMENT`, and adds up their values. */
export async function openHeapInspector(machines: readonly Site[]): Promise<HeapInspector> {
  const inspectors = await Promise.all(machines.map(inspectProcess));
  const sum = async (measure: (inspector: HeapInspector) => Promise<number>) =>
    (await Promise.all(inspectors.map(measure))).reduce((total, each) => total + each);
  return {
    bytesInUse: () => sum((inspector) => inspector.bytesInUse()),
    instancesOf: (className) => sum((inspector) => inspector.instancesOf(className)),
    cpuMs: () => sum((inspector) => inspector.cpuMs()),
    close() {
      for (const inspector of inspectors) inspector.close();
    },
  };
}

async function inspectProcess(site: Site): Promise<HeapInspector> {
  const { call, close } = await connectInspector(site);
  const evaluate = async (expression: string) => (await call('Runtime.evaluate', { expression })).result;
  return {
    async bytesInUse() {
      await call('HeapProfiler.collectGarbage');
      const { value } = await evaluate('process.memoryUsage().heapUsed + process.memoryUsage().external');
      return Number(value);
    },
    async instancesOf(className) {
      const result = await evaluate(`${className}.prototype`);
      // queryObjects collects garbage first.
      const { objects } = await call('Runtime.queryObjects', { prototypeObjectId: result.objectId });
      const count = {
        functionDeclaration: 'function () { return this.length; }',
        objectId: objects.objectId,
      };
      const { result: length } = await call('Runtime.callFunctionOn', { ...count, returnByValue: true });
      await call('Runtime.releaseObject', { objectId: objects.objectId });
      return Number(length.value);
    },
    async cpuMs() {
      const { value } = await evaluate('process.cpuUsage().user + process.cpuUsage().system');
      return Number(value) / 1000;
    },
    close,
  };
}

/** Speaks the Chrome DevTools Protocol, one command at a time. */
async function connectInspector(site: Site) {
  const url = /Debugger listening on (ws:\S+)/.exec(site.output())?.[1];
  if (!url) throw new Error('The site was not started with INSPECTOR_ENVIRONMENT');
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const closed = once(socket, 'close').then(() => {
    throw new Error('The process has closed its inspector');
  });
  closed.catch(() => {});
  let lastId = 0;
  return {
    async call(method: string, params = {}) {
      const id = ++lastId;
      socket.send(JSON.stringify({ id, method, params }));
      for (;;) {
        const [{ data }] = await Promise.race([once(socket, 'message'), closed]);
        const message = JSON.parse(String(data));
        if (message.id === id) return message.result;
      }
    },
    close: () => socket.close(),
  };
}
