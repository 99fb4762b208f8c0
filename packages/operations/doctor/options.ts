import { parseArgs } from 'node:util';

export type Options = {
  help: boolean;
  json: boolean;
  /** The file with the environment of the site; null for the environment of the process alone. */
  envFile: string | null;
  /** The email address of the test member; null for none. */
  member: string | null;
  /** How long one request may take. */
  timeoutMs: number;
};

/** A command line that is not valid. `message` is a whole sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const HELP = `Checks a configuration of the site against the services that it names.

Usage: npm run doctor -- [options]

  --env-file FILE    read the environment of the site from FILE; variables that are already set take precedence
  --json             print one JSON object instead of text
  --member EMAIL     let this member sign in, post a message, list it and delete it; DOCTOR_MEMBER_PASSWORD is the password
  --timeout SECONDS  how long one request may take (1 to 60, default 5)
  --help             print this text

The command reads the variables that the site reads, AMPLIFY_OUTPUTS included. It asks the user pool, the hosted login,
the identity pool, the AppSync API, the shared store and the running site. It changes nothing, except that it creates
one guest identity when COGNITO_ALLOW_GUESTS is true, and what --member says.

With AWS credentials (the standard chain of the AWS SDK: AWS_PROFILE, AWS_ACCESS_KEY_ID and so on) it also reads the
settings of the AWS account. AWS_ENDPOINT_URL sends these calls to another endpoint. Without credentials these checks
are not made. docs/doctor.md lists all problems and the permissions that the credentials need.

Exit codes: 0 no failures, 1 at least one failure, 2 the command could not run.
`;

const DEFAULT_TIMEOUT_SECONDS = '5';

/** Parses the arguments of the command. Throws `UsageError`. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parse(args);
  const seconds = Number(values.timeout);
  if (!(seconds >= 1 && seconds <= 60)) throw new UsageError('--timeout must be a number from 1 to 60.');
  return {
    help: values.help,
    json: values.json,
    envFile: values['env-file'] ?? null,
    member: values.member ?? null,
    timeoutMs: seconds * 1000,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        'env-file': { type: 'string' },
        member: { type: 'string' },
        timeout: { type: 'string', default: DEFAULT_TIMEOUT_SECONDS },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error} Use --help for the options.`);
  }
}
