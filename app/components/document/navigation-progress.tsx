import { useNavigation } from '@remix-run/react';

/** A bar at the top of the page while the next page loads. CSS shows it only after a short delay (see base.css). */
export function NavigationProgress() {
  const { state } = useNavigation();
  return state === 'idle' ? null : <div aria-hidden="true" className="navigation-progress" />;
}
