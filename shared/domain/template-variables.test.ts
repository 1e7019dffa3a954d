import { expect, it } from 'vitest';
import { filled, placesOfVariables, variableAt } from './template-variables.ts';

const definition = {
  countries: ['SG', { $variable: 'country' }],
  chain: [{ action: 'award', params: { 'a/b': { $variable: 'reward' } } }],
};

it('finds where variables stand, by pointers', () => {
  expect(placesOfVariables(definition)).toEqual([
    { pointer: '/countries/1', name: 'country' },
    { pointer: '/chain/0/params/a~1b', name: 'reward' },
  ]);
});

it.each([{ $variable: 7 }, { $variable: 'x', default: 1 }])('takes %j for none that can be filled', (wrong) => {
  expect(placesOfVariables({ name: wrong })).toEqual([{ pointer: '/name', name: undefined }]);
});

it('puts whole values in their places, of whatever type, and changes nothing else', () => {
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

it('does not fill what came in by a value', () => {
  const values = new Map<string, unknown>([['country', { $variable: 'reward' }]]);
  expect(filled({ a: { $variable: 'country' } }, values)).toEqual({ a: { $variable: 'reward' } });
});

it('knows the variable that a pointer leads to or into, and none beside it', () => {
  const places = placesOfVariables(definition);
  expect(variableAt('/countries/1', places)?.name).toBe('country');
  expect(variableAt('/chain/0/params/a~1b/id', places)?.name).toBe('reward');
  expect(variableAt('/countries/10', places)).toBeUndefined();
});
