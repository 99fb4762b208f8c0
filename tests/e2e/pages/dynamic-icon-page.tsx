/** A page of dynamic icons. `?name` lists the icons, and `?server` those that the server renders before hydration. */
import i18next from 'i18next';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { DocumentContext } from '../../../app/components/document/document-context.ts';
import { DynamicIcon } from '../../../app/components/ui/dynamic-icon.tsx';

const query = new URLSearchParams(location.search);
const names = query.getAll('name');
const serverRendered = query.getAll('server');

const page = (
  <p style={{ fontSize: 40 }}>
    {names.map((name, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same icon may occur twice
      <DynamicIcon key={index} name={name} />
    ))}
    <span>after</span>
  </p>
);
const icon = { body: '<circle id="a" cx="8" cy="8" r="8"/>', width: 16, height: 16 };
const icons = { draw: (id: string) => (serverRendered.includes(id) ? icon : null) };

const root = document.createElement('div');
root.innerHTML = renderToString(
  <DocumentContext.Provider
    value={{
      nonce: '',
      requestId: '',
      buildId: '',
      i18n: i18next,
      theme: 'system',
      visitor: { state: 'anonymous' },
      icons,
      staticParts: { find: () => null },
      remix: null,
    }}
  >
    {page}
  </DocumentContext.Provider>,
);
document.body.append(root);
document.documentElement.dataset.before = root.querySelector('p')?.innerHTML ?? '';

hydrateRoot(root, <DocumentContext.Provider value={null}>{page}</DocumentContext.Provider>, {
  onRecoverableError: (error) => console.error(error),
});
