import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as z from 'zod/mini';
import { changeTemplate, createTemplate } from '#client/sdk.gen.ts';
import type { Template, TemplateDefinitionInput } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextArea } from '../../parts/controls/controls.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';

interface WriteDialogProps {
  /** Null: a new one. */
  template: Template | null;
  onClose: () => void;
}

const example: TemplateDefinitionInput = {
  name: 'Payday',
  variables: { reward: { type: 'string', description: 'Of the rewards service' }, segment: { type: 'segment' } },
  campaign: {
    countries: ['SG'],
    audience: { include: [{ segment: { $variable: 'segment' } }] },
    chain: [{ action: 'award-reward', params: { rewardId: { $variable: 'reward' } } }],
  },
};

/** A template as JSON, as the API takes it. */
export function WriteDialog({ template, onClose }: WriteDialogProps) {
  const queries = useQueryClient();
  const [text, setText] = useState(() => JSON.stringify(template ? definitionOf(template) : example, null, 2));
  const save = useMutation({
    mutationFn: async () => {
      // What is right is for the API to say, which names all that is wrong.
      const body = z.parse(z.custom<TemplateDefinitionInput>(), JSON.parse(text));
      if (template === null) return await createTemplate({ body, throwOnError: true });
      const headers = { 'if-match': `"${template.revision}"` };
      return await changeTemplate({ path: { id: template.id }, body, headers, throwOnError: true });
    },
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog
      title={template ? `Change “${template.name}”` : 'New template'}
      lead='{ "$variable": "reward" } stands for a whole value of the campaign.'
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="ink" disabled={save.isPending} onClick={() => save.mutate()}>
            {template ? `Save as revision ${template.revision + 1}` : 'Create'}
          </Button>
        </>
      }
    >
      <FormField pointer="" label="Template" note="as JSON">
        {(control) => <TextArea {...control} mono rows={18} value={text} onText={setText} data-autofocus />}
      </FormField>
      {save.isError && <Refused error={save.error} />}
    </Dialog>
  );
}

function definitionOf({ name, variables, campaign }: Template): TemplateDefinitionInput {
  return { name, variables, campaign };
}

function Refused({ error }: { error: Error }) {
  const { detail, errors } = problemOf(error);
  const lines = error instanceof SyntaxError ? [`That is no JSON: ${error.message}`] : errors.map(inWords);
  return (
    <div className="c-bad sm" role="alert">
      {(lines.length === 0 ? [detail] : lines).map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

function inWords({ pointer, detail }: { pointer: string; detail: string }): string {
  return `${pointer.slice(1)} ${detail}`;
}
