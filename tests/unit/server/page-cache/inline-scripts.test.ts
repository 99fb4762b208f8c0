import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { inlineScriptHashes } from '../../../../app/server/page-cache/inline-scripts.ts';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

describe('the hashes of inline scripts', () => {
  it('are over the very bytes between the tags', () => {
    expect(inlineScriptHashes('<script> a()\n</script><script type="module">é</script>')).toEqual([
      hashOf(' a()\n'),
      hashOf('é'),
    ]);
  });

  it('leave out what is loaded by address', () => {
    expect(inlineScriptHashes('<script src="/a.js"></script><script async\nSRC=/b.js></script>')).toEqual([]);
    expect(inlineScriptHashes('<script src = "/a.js"></SCRIPT><script\tsrc="/b.js"></script>')).toEqual([]);
  });

  it('treat a script as inline if only its text or another attribute contains “src”', () => {
    expect(inlineScriptHashes('<script data-src="x">src="y"</script>')).toEqual([hashOf('src="y"')]);
  });

  it('name what stands there twice only once, and find upper-case tags', () => {
    const html = '<script>a</script><SCRIPT>a</SCRIPT><SCRIPT>b</SCRIPT>';
    expect(inlineScriptHashes(html)).toEqual([hashOf('a'), hashOf('b')]);
  });

  it('leave out elements with a longer name', () => {
    expect(inlineScriptHashes('<scripts>a</script>')).toEqual([]);
  });
});
