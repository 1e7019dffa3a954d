import { describe, expect, it } from 'vitest';
import { paramsProblems } from './check-params.ts';

/** Names of fields that every object of JavaScript inherits. */
describe.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])('a parameter with the name %s', (name) => {
  const schema = {
    type: 'object',
    properties: { [name]: { type: 'string' } },
    required: [name],
    additionalProperties: false,
  };

  it('is reported as missing if it is not given', () => {
    expect(paramsProblems(schema, {}, '/params')).toEqual([
      expect.objectContaining({ pointer: `/params/${name}`, code: 'missing' }),
    ]);
  });

  it('is accepted if it is given', () => {
    expect(paramsProblems(schema, { [name]: 'ride-5' }, '/params')).toEqual([]);
  });

  it('is reported as unknown if the schema does not contain it', () => {
    const none = { type: 'object', properties: {}, additionalProperties: false };
    expect(paramsProblems(none, { [name]: 'ride-5' }, '/params')).toEqual([
      expect.objectContaining({ pointer: `/params/${name}`, code: 'unknown-field' }),
    ]);
  });
});

describe('a problem of a parameter', () => {
  const long = 'a'.repeat(1000);
  const anything = { type: 'object', additionalProperties: { type: 'object', additionalProperties: false } };

  it('has a pointer to the parent object if the name is too long', () => {
    expect(paramsProblems(anything, { [long]: { b: 1 } }, '/chain/0/params')).toMatchObject([
      { pointer: '/chain/0/params', code: 'unknown-field' },
    ]);
    expect(paramsProblems(anything, { a: { [long]: 1 } }, '/chain/0/params')).toMatchObject([
      { pointer: '/chain/0/params/a', code: 'unknown-field' },
    ]);
  });
});
