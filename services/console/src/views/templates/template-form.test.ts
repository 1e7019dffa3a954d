import { describe, expect, it } from 'vitest';
import { templates } from '../../testing/templates.ts';
import { formOfTemplate, newVariable, repeatedName, templateOf } from './template-form.ts';

const [payday] = templates.items;
if (!payday) throw new Error('there is no template');
const { name, variables, campaign } = payday;
const form = formOfTemplate({ name, variables, campaign });

describe('a template as it is typed', () => {
  it('says the same again, with the bounds that have no field', () => {
    expect(templateOf(form)).toEqual({ name, variables, campaign });
  });

  it('keeps values of their types, and leaves what is wrong to the API', () => {
    const [first] = form.variables;
    if (!first) throw new Error('there is no variable');
    const said = (change: object) => {
      const { variables: written = {} } = templateOf({ ...form, variables: [{ ...first, ...change, name: 'x' }] });
      return written['x'];
    };
    expect(said({ type: 'integer', usual: '2', oneOf: '1\n 2 \n\n' })).toMatchObject({ default: 2, enum: [1, 2] });
    expect(said({ type: 'boolean', usual: 'false' })).toMatchObject({ default: false });
    expect(said({ type: 'number', usual: 'many' })).toMatchObject({ default: 'many' });
    expect(said({ type: 'string', usual: '2' })).toMatchObject({ default: '2' });
    expect(said({ usual: '', description: ' ' })).toEqual({ type: 'segment' });
  });

  it('has a new variable beside those that there are', () => {
    const added = [...form.variables, newVariable(form.variables)];
    expect(new Set(added.map(({ key }) => key)).size).toBe(added.length);
    expect(repeatedName(added)).toBeNull();
    expect(repeatedName([...added, newVariable(added)])).toBe('');
  });

  it('is no template while its campaign is no JSON', () => {
    expect(() => templateOf({ ...form, campaign: '{' })).toThrow(SyntaxError);
  });
});
