import { useNavigation } from '@remix-run/react';

/** A bar along the top while the next page is on its way. It shows itself only if that takes a moment (see base.css). */
export function NavigationProgress() {
  const { state } = useNavigation();
  return state === 'idle' ? null : <div aria-hidden="true" className="navigation-progress" />;
}
