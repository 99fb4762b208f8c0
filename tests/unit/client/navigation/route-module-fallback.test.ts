import { describe, expect, it, vi } from 'vitest';
import { createRouteModuleCache } from '~/client/navigation/route-module-fallback.ts';

const home = { default: () => null };

describe('the cache of route modules', () => {
  it('returns a loaded module without loading it again', async () => {
    const load = vi.fn();
    const modules = createRouteModuleCache({ home }, load);
    expect('home' in modules).toBe(true);
    expect(modules.home).toBe(home);
    expect(load).not.toHaveBeenCalled();
  });

  it('loads a missing module that was tested with `in`, and returns the promise', async () => {
    const load = vi.fn(async () => home);
    const modules = createRouteModuleCache({}, load);
    expect('other' in modules).toBe(true);
    await expect(modules.other).resolves.toBe(home);
    expect(load).toHaveBeenCalledExactlyOnceWith('other');
  });

  it('returns undefined for a missing module that was not tested with `in`', () => {
    const load = vi.fn();
    const modules = createRouteModuleCache({ home }, load);
    expect(modules.other).toBeUndefined();
    expect('other' in modules).toBe(true);
    expect(modules.home).toBe(home);
    expect(modules.other, 'another module was read in between').toBeUndefined();
    expect(load).not.toHaveBeenCalled();
  });

  it('returns a module that was loaded meanwhile', async () => {
    const loaded: Record<string, typeof home> = {};
    const load = vi.fn(async (id: string) => {
      loaded[id] = home;
      return home;
    });
    const modules = createRouteModuleCache(loaded, load);
    void ('other' in modules);
    await modules.other;
    expect('other' in modules).toBe(true);
    expect(modules.other).toBe(home);
    expect(load).toHaveBeenCalledOnce();
  });
});
