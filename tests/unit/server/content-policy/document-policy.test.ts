import { describe, expect, it } from 'vitest';
import { documentPolicy } from '../../../../app/server/content-policy/document-policy.ts';

const userPool = { domain: 'https://login.example' };

describe('the policy of a document', () => {
  const directives = [
    "default-src 'self'",
    "script-src 'self' 'sha256-HR7iaask9daLMRRskMI++QeJtjWDOjyPA6lGzYGzKW4='",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self' https://login.example",
    "frame-ancestors 'none'",
    'report-uri /csp-reports',
  ];
  const policyOf = (appOrigin: string, development = false) =>
    documentPolicy('one()', { userPool, appOrigin }, development);

  it('allows the own inline script and the files of the site', () => {
    expect(policyOf('https://site.example')).toEqual({
      'content-security-policy': [...directives, 'report-to csp'].join('; '),
      'reporting-endpoints': 'csp="/csp-reports"',
    });
  });

  it('on plain HTTP names no endpoint for reports, which browsers would ignore', () => {
    expect(policyOf('http://site.example')).toEqual({ 'content-security-policy': directives.join('; ') });
  });

  it('in development also allows what Vite’s client needs', () => {
    const policy = policyOf('http://site.example', true)['content-security-policy'];
    expect(policy).toContain("style-src 'self' 'unsafe-inline'; connect-src 'self' ws:; ");
  });
});
