import { type IconName, icons } from '~/icons.ts';

/**
 * An icon beside words that say the same: hidden from assistive technology, in the colour and size of the text around
 * it unless `className` says otherwise.
 */
export function Icon({ name, className = 'size-[1.15em]' }: { name: IconName; className?: string }) {
  const icon = icons[name];
  const mirrored = 'points' in icon ? ' mirrored' : '';
  return (
    <svg
      aria-hidden="true"
      focusable="false"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`inline-block shrink-0 ${className}${mirrored}`}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the bodies are constants of this repository
      dangerouslySetInnerHTML={{ __html: icon.body }}
    />
  );
}
