import { expect, it } from 'vitest';
import { filled, placesOfVariables, variableAt } from './template-variables.ts';

const definition = {
  countries: ['SG', { $variable: 'country' }],
  chain: [{ action: 'award', params: { 'a/b': { $variable: 'reward' } } }],
};

it('the places of template variables are listed by pointer', () => {
  expect(placesOfVariables(definition)).toEqual([
    { pointer: '/countries/1', name: 'country' },
    { pointer: '/chain/0/params/a~1b', name: 'reward' },
  ]);
});

it.each([{ $variable: 7 }, { $variable: 'x', default: 1 }])(
  'the invalid variable %j is listed without a name',
  (wrong) => {
    expect(placesOfVariables({ name: wrong })).toEqual([{ pointer: '/name', name: undefined }]);
  },
);

it('template variables are replaced by whole values of any type, and all else is unchanged', () => {
  const values = new Map<string, unknown>([
    ['country', 'ID'],
    ['reward', { id: 5, sizes: [1, 2] }],
  ]);
  expect(filled(definition, values)).toEqual({
    countries: ['SG', 'ID'],
    chain: [{ action: 'award', params: { 'a/b': { id: 5, sizes: [1, 2] } } }],
  });
  expect(filled({ a: null, b: [true, 'text'] }, values)).toEqual({ a: null, b: [true, 'text'] });
});

it('a template variable inside a value is not replaced', () => {
  const values = new Map<string, unknown>([['country', { $variable: 'reward' }]]);
  expect(filled({ a: { $variable: 'country' } }, values)).toEqual({ a: { $variable: 'reward' } });
});

it('a pointer to or into a variable returns that variable, and another pointer returns none', () => {
  const places = placesOfVariables(definition);
  expect(variableAt('/countries/1', places)?.name).toBe('country');
  expect(variableAt('/chain/0/params/a~1b/id', places)?.name).toBe('reward');
  expect(variableAt('/countries/10', places)).toBeUndefined();
});
