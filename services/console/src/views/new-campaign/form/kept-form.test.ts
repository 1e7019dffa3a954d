import { expect, it } from 'vitest';
import { createFormKeeper, type TextStorage } from './kept-form.ts';
import { newForm } from '../../../parts/campaign/form-definition.ts';

function createStorage(entries: Record<string, string> = {}): TextStorage & { texts: Map<string, string> } {
  const texts = new Map(Object.entries(entries));
  return {
    texts,
    get length() {
      return texts.size;
    },
    key: (index) => [...texts.keys()][index] ?? null,
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, value) => void texts.set(key, value),
    removeItem: (key) => void texts.delete(key),
  };
}

const form = {
  ...newForm('Asia/Singapore'),
  name: 'half written',
  exclude: [{ kind: 'segment', segment: 's' } as const],
};

it('a form keeper returns the input of the same tab and campaign', () => {
  const storage = createStorage();
  createFormKeeper(storage, 'tab-1', 'new', () => 5000).keep(form);

  expect(createFormKeeper(storage, 'tab-1', 'new', () => 6000).read()).toEqual({ version: 1, keptAtMs: 5000, form });
  expect(createFormKeeper(storage, 'tab-2', 'new', () => 6000).read()).toBeNull();
  expect(createFormKeeper(storage, 'tab-1', 'cmp_1', () => 6000).read()).toBeNull();
});

it('a form keeper removes the input of its form on request', () => {
  const storage = createStorage();
  const keeper = createFormKeeper(storage, 'tab-1', 'new', () => 0);
  keeper.keep(form);
  keeper.forget();
  expect(keeper.read()).toBeNull();
});

it.each(['no json', '{"version":0}', JSON.stringify({ version: 1, keptAtMs: 1, form: { name: 'short' } })])(
  'a form keeper ignores input of another version: %s',
  (text) => {
    expect(createFormKeeper(createStorage({ 'muster.form.a.new': text }), 'a', 'new', () => 0).read()).toBeNull();
  },
);

it('a form keeper removes only forms that are older than a week', () => {
  const storage = createStorage({ 'muster.zone': 'UTC' });
  createFormKeeper(storage, 'old', 'new', () => 0).keep(form);
  createFormKeeper(storage, 'tab', 'new', () => 8 * 86_400_000).keep(form);
  expect([...storage.texts.keys()]).toEqual(['muster.zone', 'muster.form.tab.new']);
});

it('a form keeper works without a writable storage', () => {
  const storage = {
    ...createStorage(),
    setItem: () => {
      throw new Error('full');
    },
  };
  expect(() => createFormKeeper(storage, 'a', 'new', () => 0).keep(form)).not.toThrow();
});
