/** The tests of the session library for apps, at the built site. */
import { testSignIn } from '../../support/suites/sign-in-suite.ts';
import { examplePath } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const stack = setUpStack({ environment: { RATE_LIMIT_SCALE: '0' } });

testSignIn(
  {
    get origin() {
      return stack.site.origin;
    },
    get cloud() {
      return stack.cloud;
    },
    agent: stack.agent,
    reasonOf: (_response, { cookies }) => cookies.cookies.get('notice') ?? null,
  },
  examplePath(),
);
