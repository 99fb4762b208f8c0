/** The parameters of `infra/template.yaml` as options of the command line. */
import { CommandError } from '../command/command-error.ts';

export type ParameterOption = {
  option: string;
  /** Name in the template. */
  parameter: string;
  /** What the help shows as the value. */
  placeholder: string;
  meaning: string;
  /** The value for the template. Throws `CommandError` when it is not usable. */
  parse(value: string): string;
};

const FLAGS = ['true', 'false'];

/** All parameters, in the order of the template. */
export const parameterOptions: readonly ParameterOption[] = [
  {
    option: 'origin',
    parameter: 'Origins',
    placeholder: 'URL',
    meaning: 'origin of the site; repeat it for several, the main one first (default http://localhost:3000)',
    parse: parseOrigins,
  },
  {
    option: 'domain-prefix',
    parameter: 'DomainPrefix',
    placeholder: 'NAME',
    meaning: 'prefix of the hosted login in amazoncognito.com, or auto',
    parse: parseDomainPrefix,
  },
  {
    option: 'custom-domain',
    parameter: 'CustomDomain',
    placeholder: 'DOMAIN',
    meaning: 'domain of the hosted login instead of the prefix, or none; needs --certificate',
    parse: (value) =>
      requireMatch(
        /^(?:none|[a-z0-9-]+(?:\.[a-z0-9-]+)+)$/,
        value,
        'custom-domain',
        'a domain such as login.example.com, or none',
      ),
  },
  {
    option: 'certificate',
    parameter: 'CertificateId',
    placeholder: 'ARN',
    meaning: 'ACM certificate of the custom domain; it must be in us-east-1',
    parse: (value) => parseCertificate(value, 'certificate'),
  },
  {
    option: 'guests',
    parameter: 'Guests',
    placeholder: 'true|false',
    meaning: 'whether visitors who are not signed in get a guest identity (default true)',
    parse: (value) => requireOneOf(FLAGS, value, 'guests'),
  },
  {
    option: 'email-identity',
    parameter: 'EmailIdentity',
    placeholder: 'NAME',
    meaning: 'verified SES identity that sends the codes, or none for Cognito',
    parse: (value) =>
      requireMatch(/^[^\s/:]+$/, value, 'email-identity', 'a domain or an e-mail address, or none'),
  },
  {
    option: 'email-from',
    parameter: 'EmailFrom',
    placeholder: 'SENDER',
    meaning: 'sender of the codes, such as "Example <no-reply@example.com>"; needs --email-identity',
    parse: (value) => requireMatch(/^(?:none|.*@.*)$/, value, 'email-from', 'an e-mail address, or none'),
  },
  {
    option: 'log-retention-days',
    parameter: 'LogRetentionDays',
    placeholder: 'DAYS',
    meaning: 'days for which the logs of the API are kept (default 30)',
    parse: (value) => requireMatch(/^[0-9]+$/, value, 'log-retention-days', 'a number of days'),
  },
  {
    option: 'tracing',
    parameter: 'Tracing',
    placeholder: 'true|false',
    meaning: 'whether AppSync sends traces to X-Ray (default false)',
    parse: (value) => requireOneOf(FLAGS, value, 'tracing'),
  },
  {
    option: 'deletion-protection',
    parameter: 'DeletionProtection',
    placeholder: 'true|false',
    meaning: 'whether AWS refuses to delete the stack, the user pool and the table (default true)',
    parse: (value) => requireOneOf(FLAGS, value, 'deletion-protection'),
  },
  {
    option: 'restored-table',
    parameter: 'RestoredTable',
    placeholder: 'NAME',
    meaning: "table that the API uses instead of the stack's own one, or none",
    parse: (value) =>
      requireMatch(/^[A-Za-z0-9_.-]{3,255}$/, value, 'restored-table', 'the name of a table, or none'),
  },
  {
    option: 'totp',
    parameter: 'Totp',
    placeholder: 'true|false',
    meaning: 'whether members may have an authenticator app as a second factor (default false)',
    parse: (value) => requireOneOf(FLAGS, value, 'totp'),
  },
  {
    option: 'threat-protection',
    parameter: 'ThreatProtection',
    placeholder: 'none|audit|enforced',
    meaning: 'threat protection of Cognito; needs the feature plan Plus, which costs more (default none)',
    parse: (value) => requireOneOf(['none', 'audit', 'enforced'], value, 'threat-protection'),
  },
  {
    option: 'firewall',
    parameter: 'Firewall',
    placeholder: 'true|false',
    meaning: 'whether WAF limits the rate of requests, about 14 dollars a month (default false)',
    parse: (value) => requireOneOf(FLAGS, value, 'firewall'),
  },
  {
    option: 'alarm-email',
    parameter: 'AlarmEmail',
    placeholder: 'ADDRESS',
    meaning: 'address that gets the alarms, or none',
    parse: (value) =>
      requireMatch(/^(?:none|[^@\s]+@[^@\s]+)$/, value, 'alarm-email', 'an e-mail address, or none'),
  },
  {
    option: 'monthly-budget',
    parameter: 'MonthlyBudget',
    placeholder: 'DOLLARS',
    meaning: 'costs of the AWS account above which --alarm-email is told, or 0',
    parse: (value) => requireMatch(/^\d+$/, value, 'monthly-budget', 'a number of US dollars, or 0'),
  },
  {
    option: 'site-server',
    parameter: 'SiteServer',
    placeholder: 'DOMAIN',
    meaning: 'server of the site, for CloudFront in front of it, or none; needs --site-domain',
    parse: (value) =>
      requireMatch(
        /^(?:none|[a-z0-9-]+(?:\.[a-z0-9-]+)+)$/,
        value,
        'site-server',
        'a domain such as server.example.com, or none',
      ),
  },
  {
    option: 'site-domain',
    parameter: 'SiteDomain',
    placeholder: 'DOMAIN',
    meaning: 'domain of the main origin for CloudFront; needs --site-certificate',
    parse: (value) =>
      requireMatch(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, value, 'site-domain', 'a domain such as www.example.com'),
  },
  {
    option: 'site-certificate',
    parameter: 'SiteCertificateId',
    placeholder: 'ARN',
    meaning: 'ACM certificate of that domain; it must be in us-east-1',
    parse: (value) => parseCertificate(value, 'site-certificate'),
  },
  {
    option: 'permissions-boundary',
    parameter: 'PermissionsBoundary',
    placeholder: 'NAME',
    meaning: 'managed policy that limits the roles of the stack, or none',
    parse: (value) =>
      requireMatch(
        /^[\w+=,.@-]{1,128}$/,
        value,
        'permissions-boundary',
        'the name of a managed policy, or none',
      ),
  },
];

/** Comma-separated origins as Cognito accepts them: HTTPS, or plain HTTP on localhost. */
function parseOrigins(value: string): string {
  const origins = value.split(',').map((origin) => origin.trim());
  for (const origin of origins) {
    const isOrigin =
      /^(?:https:\/\/[a-z0-9.-]+|http:\/\/localhost)(?::\d+)?$/.test(origin) && URL.canParse(origin);
    if (!isOrigin) {
      throw unusable(
        'origin',
        'an origin such as https://example.com, without a path; plain HTTP only for localhost',
      );
    }
  }
  return origins.join(',');
}

function parseDomainPrefix(value: string): string {
  if (/aws|amazon|cognito/.test(value)) {
    throw unusable(
      'domain-prefix',
      'a prefix without the words aws, amazon and cognito, which Cognito reserves',
    );
  }
  return requireMatch(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    value,
    'domain-prefix',
    'at most 63 lowercase letters, digits and inner hyphens',
  );
}

/** The id at the end of the ARN. */
function parseCertificate(value: string, option: string): string {
  const region = /^arn:[a-z-]+:acm:([a-z0-9-]+):/.exec(value)?.[1];
  if (region !== undefined && region !== 'us-east-1') {
    throw unusable(option, `a certificate in us-east-1, where CloudFront reads it; this one is in ${region}`);
  }
  const id = value.replace(/^arn:[a-z-]+:acm:us-east-1:\d{12}:certificate\//, '');
  return requireMatch(/^(?:none|[0-9a-f-]{36})$/, id, option, 'the ARN of an ACM certificate, or none');
}

function requireOneOf(values: readonly string[], value: string, option: string): string {
  if (values.includes(value)) return value;
  throw unusable(option, values.join(' or '));
}

function requireMatch(pattern: RegExp, value: string, option: string, what: string): string {
  if (pattern.test(value)) return value;
  throw unusable(option, what);
}

function unusable(option: string, what: string): CommandError {
  return new CommandError(`--${option} must be ${what}.`, 2);
}
