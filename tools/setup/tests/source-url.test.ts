import { describe, expect, it } from 'vitest';
import { toSourceUrl } from '../source-url.mjs';

describe('the address of the source code', () => {
  it.each([
    ['https://github.com/ada/site.git', 'https://github.com/ada/site'],
    ['https://github.com/ada/site/', 'https://github.com/ada/site'],
    ['git@github.com:ada/site.git', 'https://github.com/ada/site'],
    ['git@github.com:2024/site.git', 'https://github.com/2024/site'],
    ['ssh://git@gitlab.com/team/web/site.git', 'https://gitlab.com/team/web/site'],
    ['https://GitHub.com/ada/site.js', 'https://github.com/ada/site.js'],
  ])('of the remote %s is %s', (remote, address) => {
    expect(toSourceUrl(remote)).toBe(address);
  });

  it('contains no password or token of the remote', () => {
    expect(toSourceUrl('https://ada:secret@github.com/ada/site.git')).toBe('https://github.com/ada/site');
  });

  it.each([
    ['nothing', ''],
    ['a folder', '/srv/git/site.git'],
    ['an address without encryption', 'http://github.com/ada/site.git'],
    ['an alias of the SSH configuration', 'git@work:ada/site.git'],
    ['a loopback address', 'https://127.0.0.1/ada/site.git'],
    ['a name in a private network', 'https://git.corp.internal/ada/site.git'],
    ['another port', 'https://github.com:8443/ada/site.git'],
    ['another SSH port', 'ssh://git@github.com:2222/ada/site.git'],
    ['an owner without a repository', 'git@github.com:ada'],
    ['a path out of the host', 'git@github.com:../../site.git'],
    ['encoded dots', 'https://github.com/ada/%2e%2e%2fsite'],
    ['markup', 'git@github.com:ada/site"><script>alert(1)</script>'],
    ['two lines', 'git@github.com:ada/site\nhttps://example.com/a/b'],
  ])('is not derived from %s', (_what, remote) => {
    expect(toSourceUrl(remote)).toBeNull();
  });
});
