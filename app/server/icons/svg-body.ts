/**
 * Checks the content of `<svg>` elements from the icon API before they are inserted into a page. Unsafe content is
 * rejected, not sanitized: a browser could parse repaired content in another way than this parser.
 */
import { SaxesParser, type SaxesTagPlain } from 'saxes';

/** Shapes, paint, grouping and animation. No script, style, link, image or foreign content. */
const ELEMENTS = new Set(
  `animate animateMotion animateTransform circle clipPath defs ellipse feBlend feColorMatrix feComposite feFlood
  feGaussianBlur feMerge feMergeNode feMorphology feOffset filter g line linearGradient mask mpath path pattern polygon
  polyline radialGradient rect set stop symbol text tspan use`.split(/\s+/),
);

const ATTRIBUTES = new Set(
  `accumulate additive attributeName attributeType baseFrequency begin by calcMode clip-path clip-rule clipPathUnits
  clip-rule color color-interpolation-filters cx cy d dur dx dy end fill fill-opacity fill-rule filter filterUnits
  flood-color flood-opacity font-family font-size font-weight from fx fy gradientTransform gradientUnits height href id
  in in2 k1 k2 k3 k4 keyPoints keySplines keyTimes k letter-spacing mask maskContentUnits maskUnits mode offset opacity
  operator order origin paint-order path pathLength patternContentUnits patternTransform patternUnits points
  preserveAspectRatio primitiveUnits r radius refX refY repeatCount repeatDur result restart rotate rx ry
  shape-rendering spreadMethod stdDeviation stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset
  stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor textLength to transform
  transform-origin type values vector-effect viewBox visibility width x x1 x2 xlink:href xml:space y y1 y2`.split(
    /\s+/,
  ),
);

/** Functions allowed in attribute values. Others, such as `image-set`, could load a resource. */
const FUNCTIONS = new Set('hsl hsla matrix rgb rgba rotate scale skewX skewY translate'.split(' '));

/** Protects browsers from deeply nested elements. */
const MAX_DEPTH = 32;

/**
 * Whether the content of an `<svg>` is well-formed XML with allowed elements and attributes only, and all its references
 * are to its own ids (`#a`, `url(#a)`). Such content runs no script, loads nothing and contains no link. Comments, CDATA
 * sections, processing instructions, document types, custom entities and `style` are not allowed.
 */
export function isSafeSvgBody(body: string): boolean {
  let isSafe = true;
  let depth = -1;
  const reject = () => {
    isSafe = false;
  };
  const parser = new SaxesParser();
  parser.on('error', reject);
  parser.on('comment', reject);
  parser.on('cdata', reject);
  parser.on('doctype', reject);
  parser.on('processinginstruction', reject);
  parser.on('xmldecl', reject);
  parser.on('opentag', (tag) => {
    depth += 1;
    // At depth 0 is the <svg> that is added around the body below.
    if (depth > MAX_DEPTH || (depth > 0 && !isSafeTag(tag))) reject();
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.write(`<svg>${body}</svg>`).close();
  return isSafe;
}

function isSafeTag({ name, attributes }: SaxesTagPlain): boolean {
  return (
    ELEMENTS.has(name) &&
    Object.entries(attributes).every(([key, value]) => ATTRIBUTES.has(key) && isSafeValue(key, value))
  );
}

function isSafeValue(attribute: string, value: string): boolean {
  if (attribute === 'href' || attribute === 'xlink:href') return /^#[\w.:-]+$/.test(value);
  if (attribute === 'id') return /^[\w.:-]+$/.test(value);
  // An animation must not set an attribute to a value that is not allowed in it.
  if (attribute === 'attributeName') return ATTRIBUTES.has(value) && !/href|^id$/.test(value);
  // A CSS escape could hide the name of a function.
  if (value.includes('\\')) return false;
  const withoutOwnReferences = value.replace(/url\(#[\w.:-]+\)/g, '');
  const beforeParentheses = withoutOwnReferences.split('(').slice(0, -1);
  return beforeParentheses.every((text) => FUNCTIONS.has(lastWord(text)));
}

function lastWord(text: string): string {
  const words = text.trimEnd().split(/[^\w-]/);
  return words.at(-1) ?? '';
}
