import { describe, expect, it, vi } from 'vitest';
import { guardRouteModules } from '~/client/deployment/chunk-guard.ts';

const home = { default: () => null };

describe('the guarded cache of route modules', () => {
  it('gives what is there, and loads nothing for it', async () => {
    const load = vi.fn();
    const modules = guardRouteModules({ home }, load);
    expect('home' in modules).toBe(true);
    expect(modules.home).toBe(home);
    expect(load).not.toHaveBeenCalled();
  });

  it('says of a missing module that it is there, and then gives the promise of it', async () => {
    const load = vi.fn(async () => home);
    const modules = guardRouteModules({}, load);
    expect('other' in modules).toBe(true);
    await expect(modules.other).resolves.toBe(home);
    expect(load).toHaveBeenCalledExactlyOnceWith('other');
  });

  it('has nothing for whoever only looks whether a module has been loaded', () => {
    const load = vi.fn();
    const modules = guardRouteModules({ home }, load);
    expect(modules.other).toBeUndefined();
    expect('other' in modules).toBe(true);
    expect(modules.home).toBe(home);
    expect(modules.other, 'another was asked for in between').toBeUndefined();
    expect(load).not.toHaveBeenCalled();
  });

  it('gives a module that has come since', async () => {
    const loaded: Record<string, typeof home> = {};
    const load = vi.fn(async (id: string) => {
      loaded[id] = home;
      return home;
    });
    const modules = guardRouteModules(loaded, load);
    void ('other' in modules);
    await modules.other;
    expect('other' in modules).toBe(true);
    expect(modules.other).toBe(home);
    expect(load).toHaveBeenCalledOnce();
  });
});
