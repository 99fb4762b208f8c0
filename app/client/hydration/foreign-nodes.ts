/**
 * Nodes that extensions and translators added to `<html>`, `<head>` and `<body>`. React hydrates the children of these
 * elements one after the other, and a foreign one among them makes it build the document anew. It ignores what follows the
 * site's own children of `<head>` and `<body>`.
 */

/** The site's own. The server writes the attribute, except where the kind of the element says it. */
const MARKED = '[data-site]';
const OWN = `head, body, title, script[type="application/ld+json"], ${MARKED}`;

type Place = 'documentElement' | 'head' | 'body';
type MovedNode = { node: ChildNode; place: Place; next: ChildNode | null };

let moved: MovedNode[] = [];

/** Moves foreign nodes to the end of `<head>` or `<body>`, where their styles still apply. Called before hydration. */
export function moveForeignNodesAside(document: Document): void {
  // In development the server does not mark the site's own elements.
  if (!document.head.querySelector(MARKED)) return;
  moved = (['documentElement', 'head', 'body'] as const).flatMap((place) => moveAside(document, place));
}

/** Moves the nodes back. Called after hydration. */
export function moveForeignNodesBack(document: Document): void {
  for (const { node, place, next } of moved.reverse()) {
    const parent = document[place];
    parent.insertBefore(node, next?.parentNode === parent ? next : null);
  }
  moved = [];
}

function moveAside(document: Document, place: Place): MovedNode[] {
  const nodes = [...document[place].childNodes];
  const last = place === 'documentElement' ? nodes.length - 1 : nodes.findLastIndex(isOwn);
  return nodes
    .slice(0, last + 1)
    .filter((node) => !isOwn(node))
    .reverse()
    .map((node) => {
      const { nextSibling: next } = node;
      document[place === 'body' ? 'body' : 'head'].append(node);
      return { node, place, next };
    });
}

function isOwn(node: Node): boolean {
  return node instanceof Element && node.matches(OWN);
}
