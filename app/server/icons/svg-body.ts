/**
 * Judges the inside of an `<svg>` that comes from outside, before it stands in a page of ours. It is accepted as it is or
 * refused; nothing is repaired, so that no two parsers can disagree about what was meant. Pure.
 */
import { SaxesParser, type SaxesTagPlain } from 'saxes';

/** Shapes, paint, grouping and animation: what icons are drawn with. No script, style, link, image or foreign content. */
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

/** What a value may call. Any other function might load something. */
const FUNCTIONS = new Set('hsl hsla matrix rgb rgba rotate scale skewX skewY translate'.split(' '));

/** Bounds a hostile nesting before the browser has to. */
const MAX_DEPTH = 32;

/**
 * Whether the body is well-formed and made of nothing but known elements and attributes, with references only to its
 * own ids (`#a`, `url(#a)`), so that it runs, loads and links to nothing. Comments, CDATA, instructions, entities other
 * than XML's five, document types and `style` are refused too.
 */
export function isSafeSvgBody(body: string): boolean {
  let isSafe = true;
  let depth = -1;
  const refuse = () => {
    isSafe = false;
  };
  const parser = new SaxesParser();
  parser.on('error', refuse);
  parser.on('comment', refuse);
  parser.on('cdata', refuse);
  parser.on('doctype', refuse);
  parser.on('processinginstruction', refuse);
  parser.on('xmldecl', refuse);
  parser.on('opentag', (tag) => {
    depth += 1;
    // The first one is the <svg> put around the body below.
    if (depth > MAX_DEPTH || (depth > 0 && !isSafeTag(tag))) refuse();
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
  // An animation may not give an attribute what it may not have from the start.
  if (attribute === 'attributeName') return ATTRIBUTES.has(value) && !/href|^id$/.test(value);
  // A backslash could spell a function's name in another way.
  if (value.includes('\\')) return false;
  const calls = value.replace(/url\(#[\w.:-]+\)/g, '').matchAll(/([\w-]*)\s*\(/g);
  return [...calls].every(([, name = '']) => FUNCTIONS.has(name));
}
