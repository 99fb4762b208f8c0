import { drawnIcon, type IconName } from '~/icons/icons.ts';

/**
 * An icon beside words that say the same: hidden from assistive technology, in the colour and size of the text around
 * it unless `className` says otherwise.
 */
export function Icon({ name, className = 'size-[1.15em]' }: { name: IconName; className?: string }) {
  const { viewBox, body, points } = drawnIcon(name);
  return (
    <svg
      aria-hidden="true"
      focusable="false"
      viewBox={viewBox}
      className={`inline-block shrink-0 ${className}${points ? ' mirrored' : ''}`}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: drawn by the build from an installed collection
      dangerouslySetInnerHTML={{ __html: body }}
    />
  );
}
