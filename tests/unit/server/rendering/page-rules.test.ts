import type { AppLoadContext } from '@remix-run/node';
import { describe, expect, it, vi } from 'vitest';
import { forcedThemeOf, pages } from '~/pages.ts';
import { createLog } from '../../../../app/server/observability/log.ts';
import { checkPages, enterPage } from '../../../../app/server/rendering/page-rules.ts';
import type { RouteMiddleware } from '../../../../app/server/rendering/route-middleware.ts';

function listen() {
  const lines: string[] = [];
  return { lines, log: createLog('info', { write: (line) => void lines.push(line) }) };
}

describe('the registry of pages', () => {
  it('passes its own check without a word', () => {
    const { lines, log } = listen();
    checkPages(pages, log);
    expect(lines).toEqual([]);
  });

  it('names no middleware that does not exist', () => {
    expect(() => checkPages([{ name: 'a', middleware: ['signed-in', 'sudo'] }], listen().log)).toThrow(
      "Unknown route middleware: 'sudo'.",
    );
    expect(() => checkPages([{ name: 'a', middleware: ['toString'] }], listen().log)).toThrow(
      "Unknown route middleware: 'toString'.",
    );
  });

  it('names no layout that does not exist', () => {
    expect(() => checkPages([{ name: 'a', layout: 'wide' }], listen().log)).toThrow(
      "Unknown layout: 'wide'.",
    );
  });

  it('learns of all that is wrong at once', () => {
    const bad = [
      { name: 'a', layout: 'wide' },
      { name: 'b', middleware: ['sudo'] },
    ];
    expect(() => checkPages(bad, listen().log)).toThrow(
      "Unknown layout: 'wide'.\nUnknown route middleware: 'sudo'.",
    );
  });

  it('is warned where it forces the theme `system`, which then is not forced', () => {
    const { lines, log } = listen();
    checkPages(
      [
        { name: 'a', forcedTheme: 'system' },
        { name: 'b', forcedTheme: 'dark' },
      ],
      log,
    );
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', page: 'a', forcedTheme: 'system' },
    ]);
    expect(forcedThemeOf({ forcedTheme: 'system' })).toBeNull();
    expect(forcedThemeOf({ forcedTheme: 'dark' })).toBe('dark');
    expect(forcedThemeOf({})).toBeNull();
    expect(forcedThemeOf(null)).toBeNull();
  });
});

describe('entering a page', () => {
  const args = {
    request: new Request('https://example.com/fr/test-message?after=%20x'),
    // Only what the middleware reads; the rest of a context is not asked for.
    context: { requestId: 'r', session: { state: 'anonymous' } } as unknown as AppLoadContext,
  };
  const refusalOf = async (entering: Promise<void>): Promise<Response> => {
    const thrown = await entering.catch((error: unknown) => error);
    if (!(thrown instanceof Response)) throw new Error('It was let in');
    return thrown;
  };

  it('needs nothing where the page asks for nothing', async () => {
    await expect(enterPage({}, args)).resolves.toBeUndefined();
  });

  it('is a 404 `Page Not Found` at an invalid address', async () => {
    const isValid = vi.fn(() => false);
    const refusal = await refusalOf(enterPage({ isValid }, args));
    expect(refusal.status).toBe(404);
    expect(refusal.statusText).toBe('Page Not Found: /fr/test-message?after=%20x');
    expect(isValid).toHaveBeenCalledWith(new URL(args.request.url));
    await expect(enterPage({ isValid: () => true }, args)).resolves.toBeUndefined();
  });

  it('runs the middleware in order, until one answers', async () => {
    const ran: string[] = [];
    const named: Record<string, RouteMiddleware> = {
      'signed-in': () => void ran.push('first'),
      second: async () => {
        ran.push('second');
        return Response.json('instead');
      },
      third: () => void ran.push('third'),
    };
    const middleware = ['signed-in', 'second', 'third'] as unknown as ['signed-in'];
    const answer = await refusalOf(enterPage({ middleware }, args, named));
    expect(await answer.json()).toBe('instead');
    expect(ran).toEqual(['first', 'second']);
  });

  it('is a 404 `Page Not Found` where a middleware says false', async () => {
    const refusal = await refusalOf(
      enterPage({ middleware: ['signed-in'] }, args, { 'signed-in': () => false }),
    );
    expect([refusal.status, refusal.statusText]).toEqual([
      404,
      'Page Not Found: /fr/test-message?after=%20x',
    ]);
  });

  it('with `signed-in` leads others to sign in and back, as a document', async () => {
    const refusal = await refusalOf(enterPage({ middleware: ['signed-in'] }, args));
    expect(refusal.status).toBe(302);
    expect(refusal.headers.get('location')).toBe(
      '/auth/sign-in?returnTo=%2Ffr%2Ftest-message%3Fafter%3D%2520x',
    );
    expect(refusal.headers.get('x-remix-reload-document')).toBe('true');
    const context = { ...args.context, session: { state: 'signed-in' } } as unknown as AppLoadContext;
    await expect(enterPage({ middleware: ['signed-in'] }, { ...args, context })).resolves.toBeUndefined();
  });
});
