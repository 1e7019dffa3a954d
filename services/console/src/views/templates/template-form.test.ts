import { describe, expect, it } from 'vitest';
import { templates } from '../../../testing/campaigns/templates.ts';
import { formOfTemplate, createVariable, repeatedName, templateOf } from './template-form.ts';

const [payday] = templates.items;
if (!payday) throw new Error('there is no template');
const { name, variables, campaign } = payday;
const form = formOfTemplate({ name, variables, campaign });

describe('the form of a template', () => {
  it('keeps the definition, including limits without a field', () => {
    expect(templateOf(form)).toEqual({ name, variables, campaign });
  });

  it('parses values by type and passes invalid ones to the API', () => {
    const [first] = form.variables;
    if (!first) throw new Error('there is no variable');
    const parsedVariable = (change: object) => {
      const { variables: written = {} } = templateOf({ ...form, variables: [{ ...first, ...change, name: 'x' }] });
      return written['x'];
    };
    expect(parsedVariable({ type: 'integer', defaultText: '2', oneOf: '1\n 2 \n\n' })).toMatchObject({
      default: 2,
      enum: [1, 2],
    });
    expect(parsedVariable({ type: 'boolean', defaultText: 'false' })).toMatchObject({ default: false });
    expect(parsedVariable({ type: 'number', defaultText: 'many' })).toMatchObject({ default: 'many' });
    expect(parsedVariable({ type: 'string', defaultText: '2' })).toMatchObject({ default: '2' });
    expect(parsedVariable({ defaultText: '', description: ' ' })).toEqual({ type: 'segment' });
  });

  it('adds a new variable with a unique key', () => {
    const added = [...form.variables, createVariable(form.variables)];
    expect(new Set(added.map(({ key }) => key)).size).toBe(added.length);
    expect(repeatedName(added)).toBeNull();
    expect(repeatedName([...added, createVariable(added)])).toBe('');
  });

  it('throws a SyntaxError if the campaign is not JSON', () => {
    expect(() => templateOf({ ...form, campaign: '{' })).toThrow(SyntaxError);
  });
});
