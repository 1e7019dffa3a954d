import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as z from 'zod/mini';
import { changeTemplate, createTemplate } from '#client/sdk.gen.ts';
import type { Template, TemplateDefinitionInput } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../parts/forms/use-form-errors.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { formOfTemplate, repeatedName, templateOf, type TemplateForm } from './template-form.ts';
import { VariablesField } from './variables-field.tsx';

interface WriteDialogProps {
  /** Template that is changed; null for a new template. */
  template: Template | null;
  onClose: () => void;
}

const example: TemplateDefinitionInput = {
  name: 'Payday',
  variables: { reward: { type: 'string', description: 'Id in the rewards service' }, segment: { type: 'segment' } },
  campaign: {
    countries: ['SG'],
    audience: { include: [{ segment: { $variable: 'segment' } }] },
    chain: [{ action: 'award-reward', params: { rewardId: { $variable: 'reward' } } }],
  },
};

/** Form for a template: its name, its variables, and the campaign as JSON; or the whole template as JSON. */
export function WriteDialog({ template, onClose }: WriteDialogProps) {
  const queries = useQueryClient();
  const [form, setForm] = useState(() => formOfTemplate(template ? definitionOf(template) : example));
  /** The whole template as JSON; null while the form is used. */
  const [text, setText] = useState<string | null>(null);
  const [parseError, setParseError] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: async () => {
      const body = text === null ? templateOf(form) : parseTemplate(text);
      if (template === null) return await createTemplate({ body, throwOnError: true });
      const headers = { 'if-match': `"${template.revision}"` };
      return await changeTemplate({ path: { id: template.id }, body, headers, throwOnError: true });
    },
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const fields = useFormErrors(text === null ? save.error : null);
  const repeated = text === null ? repeatedName(form.variables) : null;

  function toggle(): void {
    try {
      if (text === null) setText(JSON.stringify(templateOf(form), null, 2));
      else {
        setForm(formOfTemplate(parseTemplate(text)));
        setText(null);
      }
      setParseError(null);
    } catch (error) {
      setParseError(describeParseError(error));
    }
  }

  return (
    <Dialog
      isWide
      title={template ? `Change “${template.name}”` : 'New template'}
      lead='{ "$variable": "reward" } replaces a whole value of the campaign.'
      onClose={onClose}
      actions={
        <>
          <span className="mr-auto">
            <Button aria-pressed={text !== null} onClick={toggle}>
              JSON
            </Button>
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="ink" disabled={save.isPending || repeated !== null} onClick={() => save.mutate()}>
            {template ? `Save as revision ${template.revision + 1}` : 'Create'}
          </Button>
        </>
      }
    >
      {text === null ? (
        <FormProblemsContext value={fields}>
          <Fields form={form} onChange={(part) => setForm({ ...form, ...part })} />
        </FormProblemsContext>
      ) : (
        <FormField pointer="" label="Template" note="as JSON">
          {(control) => <TextArea {...control} mono rows={18} value={text} onText={setText} data-autofocus />}
        </FormField>
      )}
      {repeated !== null && (
        <p className="c-bad sm" role="alert">
          {repeated === '' ? 'Two variables have no name' : `Two variables are called ${repeated}`}.
        </p>
      )}
      {parseError !== null && (
        <p className="c-bad sm" role="alert">
          {parseError}
        </p>
      )}
      {save.isError && <Refused error={save.error} form={text === null ? form : null} />}
    </Dialog>
  );
}

function Fields({ form, onChange }: { form: TemplateForm; onChange: (part: Partial<TemplateForm>) => void }) {
  return (
    <>
      <FormField pointer="/name" label="Name" required>
        {(control) => (
          <TextInput
            {...control}
            value={form.name}
            onText={(name) => onChange({ name })}
            maxLength={200}
            data-autofocus
          />
        )}
      </FormField>
      <VariablesField variables={form.variables} onChange={(variables) => onChange({ variables })} />
      <FormField pointer="/campaign" label="Campaign" note="as JSON, without its name">
        {(control) => (
          <TextArea {...control} mono rows={12} value={form.campaign} onText={(campaign) => onChange({ campaign })} />
        )}
      </FormField>
    </>
  );
}

/** Parses the text without validation: the API validates the template and reports all problems. */
function parseTemplate(text: string): TemplateDefinitionInput {
  return z.parse(z.custom<TemplateDefinitionInput>(), JSON.parse(text));
}

function definitionOf({ name, variables, campaign }: Template): TemplateDefinitionInput {
  return { name, variables, campaign };
}

/**
 * Shows the problems that no field shows.
 * @param form form whose fields show their own problems; null if the template is edited as JSON
 */
function Refused({ error, form }: { error: Error; form: TemplateForm | null }) {
  const { detail, errors } = problemOf(error);
  const others = errors.filter(({ pointer }) => form === null || !isAtField(pointer, form));
  const lines = error instanceof SyntaxError ? [describeParseError(error)] : others.map(formatProblem);
  if (lines.length === 0 && errors.length > 0) return null;
  return (
    <div className="c-bad sm" role="alert">
      {(lines.length === 0 ? [detail] : lines).map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

/**
 * Returns true if a field shows the problem. The whole campaign is one field, so the problems within it are listed
 * below the form.
 */
function isAtField(pointer: string, { variables }: TemplateForm): boolean {
  if (pointer === '/name') return true;
  const [, field, name, part] = pointer.split('/');
  const isKnown = variables.some((each) => each.name === name);
  return field === 'variables' && isKnown && ['type', 'description', 'default', 'enum'].includes(part ?? '');
}

function describeParseError(error: unknown): string {
  return `Invalid JSON: ${error instanceof Error ? error.message : String(error)}`;
}

function formatProblem({ pointer, detail }: { pointer: string; detail: string }): string {
  return `${pointer.slice(1)} ${detail}`;
}
