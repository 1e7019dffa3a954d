import { describe, expect, it } from 'vitest';
import { fillBody, fillHeader, fillText, fillUrl, MissingValueError } from './call-template.ts';
import { userKeyOf } from './render-call.ts';

const values = {
  campaign: 'cmp_1',
  run: 'run_1',
  step: 2,
  country: 'SG',
  params: { text: 'Hi "you"\n', points: 5, nested: { list: [1] } },
  user: 'u/1 ?',
  key: 'k1',
  attributes: { phone: '+65 1', since: new Date('2026-11-30T00:00:00Z') },
};

describe('the template of a call', () => {
  it('encodes each value for the place of its placeholder', () => {
    expect(fillUrl('/users/{{user}}/points?n={{ params.points }}', values)).toBe('/users/u%2F1%20%3F/points?n=5');
    expect(fillUrl('/users/{{user}}/points', { user: '..' })).toBe('/users/%2E%2E/points');
    expect(fillHeader('{{params.text}}ü', values)).toBe('Hi "you"??');
    expect(JSON.stringify(fillBody({ text: 'Dear {{user}}: {{params.text}}' }, values, []))).toBe(
      '{"text":"Dear u/1 ?: Hi \\"you\\"\\n"}',
    );
  });

  it('keeps the type of a value that is the whole text', () => {
    expect(
      fillBody(['{{params.points}}', '{{ params.nested }}', '{{attributes.since}}', '{{step}} of 3'], values, []),
    ).toEqual([5, { list: [1] }, '2026-11-30T00:00:00.000Z', '2 of 3']);
  });

  it('writes four braces as two', () => {
    expect(fillText('{{{{user}} {{user}}', values)).toBe('{{user}} u/1 ?');
  });

  it('repeats an entry for each user', () => {
    const users = ['a', 'b'].map((user) => ({ user, key: `k-${user}`, attributes: { mail: `${user}@test` } }));
    const body = { to: { forEachUser: { mail: '{{attributes.mail}}', key: '{{key}}', text: '{{params.text}}' } } };
    expect(fillBody(body, { params: { text: 'x' } }, users)).toEqual({
      to: [
        { mail: 'a@test', key: 'k-a', text: 'x' },
        { mail: 'b@test', key: 'k-b', text: 'x' },
      ],
    });
  });

  it.each(['params.no', 'attributes.constructor', 'params.text.length', 'attributes.phone.0'])(
    'refuses %s, which has no value',
    (name) => {
      expect(() => fillText(`{{${name}}}`, values)).toThrow(MissingValueError);
    },
  );

  it('does not fill placeholders that occur in filled values', () => {
    expect(fillText('{{user}}', { user: '{{key}}', key: 'secret' })).toBe('{{key}}');
  });
});

describe('the key of a user', () => {
  it('is a UUID of action, run, step and user', () => {
    const scope = { action: 'notify', run: 'run_1', step: 1 };
    const key = userKeyOf(scope, 'u1');
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(userKeyOf(scope, 'u1')).toBe(key);
    const others = [
      userKeyOf(scope, 'u2'),
      ...[{ action: 'x' }, { run: 'x' }, { step: 2 }].map((more) => userKeyOf({ ...scope, ...more }, 'u1')),
    ];
    expect(new Set([key, ...others]).size).toBe(5);
  });
});
