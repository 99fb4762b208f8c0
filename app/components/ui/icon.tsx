import { builtInIcon, type IconName } from '~/icons/built-in-icons.ts';

/**
 * A decorative icon beside text with the same meaning, hidden from assistive technology. By default it has the color
 * and size of the text.
 */
export function Icon({ name, className = 'size-[1.15em]' }: { name: IconName; className?: string }) {
  const { body, isDirectional } = builtInIcon(name);
  return (
    <svg
      aria-hidden="true"
      focusable="false"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      strokeWidth="2"
      className={`inline-block shrink-0 ${className}${isDirectional ? ' mirrored' : ''}`}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: drawn by the build from an installed collection
      dangerouslySetInnerHTML={{ __html: body }}
    />
  );
}
