/** Keeps `process.nextTick` fast, which Node calls several times for every request. */
import { executionAsyncResource } from 'node:async_hooks';

const kept: object[] = [];

/**
 * Keeps one of the objects that Node creates for each call of `process.nextTick`. When full garbage collections find none
 * of them, V8 forgets their hidden class, and each call takes five times as long for the rest of the life of the process
 * (V8 11.3; docs/performance.md). An idle process has several such collections.
 */
export function keepTickObject(): void {
  process.nextTick(() => kept.push(executionAsyncResource()));
}
