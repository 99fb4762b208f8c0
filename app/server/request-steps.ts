/** Every request passes these steps in this order, in production and in development. The first response ends it. */
import type { AppLoadContext } from '@remix-run/node';
import {
  createHealthChecks,
  createPendingLimit,
  createRequestFilter,
  createStaticFiles,
  type Step,
} from '@tenfold/site-server';
import { createBuildData } from './builds/build-data.ts';
import { createPageCache } from './page-cache/page-cache.ts';
import { createCanonicalRedirects } from './preferences/canonical-address.ts';
import { createRateLimitStep } from './rate-limit/rate-limiter.ts';
import { createRemixStep } from './rendering/remix-step.ts';
import { createRouteMatch } from './rendering/route-finder.ts';
import type { StepParts } from './step-parts.ts';

/** Creates the steps that every request passes, in this order. */
export function createRequestSteps(parts: StepParts): Step<AppLoadContext>[] {
  return [
    createHealthChecks(parts),
    createPendingLimit(parts),
    createRequestFilter(parts),
    createCanonicalRedirects(parts),
    createPageCache(parts),
    createStaticFiles(parts),
    createBuildData(parts),
    createRouteMatch(parts),
    createRateLimitStep(parts),
    createRemixStep(parts),
  ];
}
