/** A page of dynamic icons. `?name` lists the icons, and `?prepared` those that the server draws before hydration. */
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { DynamicIcon } from '../../../app/components/ui/dynamic-icon.tsx';

const query = new URLSearchParams(location.search);
const names = query.getAll('name');
const icon = { body: '<circle id="a" cx="8" cy="8" r="8"/>', width: 16, height: 16 };
const prepared = Object.fromEntries(query.getAll('prepared').map((name) => [name, icon]));

const page = (
  <p style={{ fontSize: 40 }}>
    {names.map((name, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same icon may occur twice
      <DynamicIcon key={index} name={name} prepared={prepared} />
    ))}
    <span>after</span>
  </p>
);

const root = document.createElement('div');
root.innerHTML = renderToString(page);
document.body.append(root);
document.documentElement.dataset.before = root.querySelector('p')?.innerHTML ?? '';

hydrateRoot(root, page, { onRecoverableError: (error) => console.error(error) });
