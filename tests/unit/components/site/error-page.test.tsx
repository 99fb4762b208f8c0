import type { ErrorResponse } from '@remix-run/react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createStaticHandler } from 'react-router-dom/server';
import { expect, it } from 'vitest';
import { RouteMessage } from '../../../../app/components/site/error-page.tsx';

const { query } = createStaticHandler([
  {
    path: '/',
    loader: () => {
      throw new Response(null, { status: 409, statusText: 'Sold out' });
    },
  },
]);

async function showMessage(method: string): Promise<string> {
  const context = await query(new Request('http://localhost/', { method }));
  if (context instanceof Response) throw new Error('The router responded itself.');
  const [error] = Object.values(context.errors ?? {}) as ErrorResponse[];
  return renderToStaticMarkup(<RouteMessage response={error ?? null} />);
}

it('an error shows the status message of a route', async () => {
  expect(await showMessage('GET')).toContain('>Sold out<');
});

it('an error of the router itself shows no English message', async () => {
  expect(await showMessage('POST')).toBe('');
});
