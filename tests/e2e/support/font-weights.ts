/** Finds text for which the style sheets have no font file of the weight that its style says. */
import type { Page } from '@playwright/test';

/**
 * The texts whose weight a browser would have to draw with another weight's file, as `text (weight): characters`.
 * It selects the files as CSS does: the first family with a face for the character, by weight before character.
 * Text in fixed-width fonts comes from fonts of the device, so it is left out.
 */
export function textsInOtherWeights(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Face = { family: string; isItalic: boolean; from: number; to: number; ranges: [number, number][] };
    const unquoted = (name: string) => name.trim().replace(/^["']|["']$/g, '');

    const readFace = ({ style }: CSSFontFaceRule): Face => {
      const [from = 400, to = from] = style.getPropertyValue('font-weight').split(' ').map(Number);
      const ranges = style.getPropertyValue('unicode-range').split(',').filter(Boolean);
      return {
        family: unquoted(style.getPropertyValue('font-family')),
        isItalic: style.getPropertyValue('font-style') === 'italic',
        from,
        to,
        ranges: ranges.map((range): [number, number] => {
          const [first = 0, last = first] = range
            .trim()
            .slice(2)
            .split('-')
            .map((code) => Number.parseInt(code, 16));
          return [first, last];
        }),
      };
    };
    const faces = [...document.styleSheets]
      .flatMap(({ cssRules }) => [...cssRules])
      .filter(
        (rule) => rule instanceof CSSFontFaceRule && rule.style.getPropertyValue('src').includes('url('),
      )
      .map((rule) => readFace(rule as CSSFontFaceRule));

    /** The distance of a weight from those of a face. */
    const distance = ({ from, to }: Face, weight: number) => Math.max(from - weight, weight - to, 0);
    const faceFor = (families: string[], isItalic: boolean, weight: number, code: number) => {
      for (const family of families) {
        const all = faces.filter((face) => face.family === family);
        const ofStyle = all.some((face) => face.isItalic === isItalic)
          ? all.filter((face) => face.isItalic === isItalic)
          : all;
        const nearest = Math.min(...ofStyle.map((face) => distance(face, weight)));
        const face = ofStyle.find(
          (candidate) =>
            distance(candidate, weight) === nearest &&
            candidate.ranges.some(([first, last]) => code >= first && code <= last),
        );
        if (face) return face;
      }
      return null;
    };

    const textOf = (element: Element) => {
      if (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) return element.value;
      return [...element.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => node.textContent ?? '')
        .join('');
    };
    return [
      ...document.querySelectorAll('body *:not(script, style, option, pre, code, kbd, pre *, code *)'),
    ].flatMap((element) => {
      const text = textOf(element).trim();
      if (text === '') return [];
      const { fontFamily, fontStyle, fontWeight } = getComputedStyle(element);
      const families = fontFamily.split(',').map(unquoted);
      const lacking = [...new Set(text)].filter((character) => {
        const face = faceFor(
          families,
          fontStyle === 'italic',
          Number(fontWeight),
          character.codePointAt(0) ?? 0,
        );
        return face !== null && distance(face, Number(fontWeight)) > 0;
      });
      return lacking.length > 0 ? [`${text.slice(0, 40)} (${fontWeight}): ${lacking.join('')}`] : [];
    });
  });
}
