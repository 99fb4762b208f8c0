import type { AppLoadContext } from '@remix-run/node';
import { describe, expect, it, vi } from 'vitest';
import { forcedThemeOf, pages } from '~/pages.ts';
import { createLog } from '../../../../app/server/observability/log.ts';
import { checkPages, enterPage } from '../../../../app/server/rendering/page-rules.ts';
import type { RouteMiddleware } from '../../../../app/server/rendering/route-middleware.ts';

function recordLog() {
  const lines: string[] = [];
  return { lines, log: createLog('info', { write: (line) => void lines.push(line) }) };
}

describe('the check of the list of pages', () => {
  it('logs nothing for the pages of the site', () => {
    const { lines, log } = recordLog();
    checkPages(pages, log);
    expect(lines).toEqual([]);
  });

  it('rejects an unknown middleware', () => {
    expect(() => checkPages([{ name: 'a', middleware: ['signed-in', 'sudo'] }], recordLog().log)).toThrow(
      "Unknown route middleware: 'sudo'.",
    );
    expect(() => checkPages([{ name: 'a', middleware: ['toString'] }], recordLog().log)).toThrow(
      "Unknown route middleware: 'toString'.",
    );
  });

  it('rejects an unknown layout', () => {
    expect(() => checkPages([{ name: 'a', layout: 'wide' }], recordLog().log)).toThrow(
      "Unknown layout: 'wide'.",
    );
  });

  it('reports all problems in one error', () => {
    const invalid = [
      { name: 'a', layout: 'wide' },
      { name: 'b', middleware: ['sudo'] },
    ];
    expect(() => checkPages(invalid, recordLog().log)).toThrow(
      "Unknown layout: 'wide'.\nUnknown route middleware: 'sudo'.",
    );
  });

  it('logs a warning for the forced theme `system`, which is not forced', () => {
    const { lines, log } = recordLog();
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
    // Only the members that the middleware reads.
    context: { requestId: 'r', session: { state: 'anonymous' } } as unknown as AppLoadContext,
  };
  const responseOf = async (entry: Promise<void>): Promise<Response> => {
    const thrown = await entry.catch((error: unknown) => error);
    if (!(thrown instanceof Response)) throw new Error('The page was entered');
    return thrown;
  };

  it('needs nothing if the page has no rules', async () => {
    await expect(enterPage({}, args)).resolves.toBeUndefined();
  });

  it('throws a 404 `Page Not Found` for an invalid address', async () => {
    const isValid = vi.fn(() => false);
    const response = await responseOf(enterPage({ isValid }, args));
    expect(response.status).toBe(404);
    expect(response.statusText).toBe('Page Not Found: /fr/test-message?after=%20x');
    expect(isValid).toHaveBeenCalledWith(new URL(args.request.url));
    await expect(enterPage({ isValid: () => true }, args)).resolves.toBeUndefined();
  });

  it('runs the middleware in order until one returns a response', async () => {
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
    const response = await responseOf(enterPage({ middleware }, args, named));
    expect(await response.json()).toBe('instead');
    expect(ran).toEqual(['first', 'second']);
  });

  it('throws a 404 `Page Not Found` when a middleware returns false', async () => {
    const response = await responseOf(
      enterPage({ middleware: ['signed-in'] }, args, { 'signed-in': () => false }),
    );
    expect([response.status, response.statusText]).toEqual([
      404,
      'Page Not Found: /fr/test-message?after=%20x',
    ]);
  });

  it('with `signed-in` redirects visitors without a session to the sign-in and back', async () => {
    const response = await responseOf(enterPage({ middleware: ['signed-in'] }, args));
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe(
      '/auth/sign-in?returnTo=%2Ffr%2Ftest-message%3Fafter%3D%2520x',
    );
    expect(response.headers.get('x-remix-reload-document')).toBe('true');
    const context = { ...args.context, session: { state: 'signed-in' } } as unknown as AppLoadContext;
    await expect(enterPage({ middleware: ['signed-in'] }, { ...args, context })).resolves.toBeUndefined();
  });
});
