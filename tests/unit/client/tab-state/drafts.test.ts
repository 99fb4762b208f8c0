import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  consumeDraft,
  consumeSignInDraft,
  hasSignInDraft,
  saveDraft,
  saveSignInDraft,
} from '~/client/tab-state/drafts.ts';
import { createWindowNameStorage } from '~/client/tab-state/tab-storage.ts';

beforeEach(() => {
  vi.stubGlobal('sessionStorage', createWindowNameStorage({ name: '' }));
  return () => vi.unstubAllGlobals();
});

describe('the text saved for a sign-in', () => {
  it('is returned once', () => {
    saveSignInDraft('Hello');
    expect(hasSignInDraft()).toBe(true);
    expect(consumeSignInDraft()).toBe('Hello');
    expect(hasSignInDraft()).toBe(false);
    expect(consumeSignInDraft()).toBe('');
  });

  it('is not the draft of a visit to another page', () => {
    saveSignInDraft('For the sign-in');
    saveDraft('For the next page');
    expect(consumeSignInDraft()).toBe('For the sign-in');
    expect(consumeDraft()).toBe('For the next page');
    expect(consumeDraft()).toBe('');
  });

  it('is removed by an empty text', () => {
    saveSignInDraft('Hello');
    saveSignInDraft('');
    expect(hasSignInDraft()).toBe(false);
  });

  it('is empty where the browser blocks the storage', () => {
    vi.stubGlobal('sessionStorage', undefined);
    expect(() => saveSignInDraft('Hello')).not.toThrow();
    expect([hasSignInDraft(), consumeSignInDraft()]).toEqual([false, '']);
  });
});
