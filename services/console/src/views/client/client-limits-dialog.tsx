import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeClient } from '#client/sdk.gen.ts';
import type { ChangeClientData, Client } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../parts/forms/use-form-errors.ts';
import { typedNumber } from '../../parts/forms/typed-number.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { FormError } from '../../parts/forms/form-error.tsx';

const fields = [
  { name: 'acceptPerSecond', label: 'Accepted/s', hint: 'More are refused with 429. Empty: no limit' },
  { name: 'maxStoredJobs', label: 'Jobs stored', hint: 'More are refused with 507. Empty: 10,000,000' },
  { name: 'maxSchedules', label: 'Schedules', hint: 'In any state. Empty: 10,000' },
  {
    name: 'relevancySeconds',
    label: 'Relevant for',
    hint: 'A job expires this long after its due time. Empty: never',
    unit: 's',
  },
  {
    name: 'deadJobsDays',
    label: 'Dead jobs are kept',
    hint: 'Empty: as long as the installation keeps them',
    unit: 'days',
  },
] as const;

type Name = (typeof fields)[number]['name'];
type Typed = Readonly<Record<Name, string>>;

function typedOf(client: Client): Typed {
  const text = (name: Name) => String(client[name] ?? '');
  return {
    acceptPerSecond: text('acceptPerSecond'),
    maxStoredJobs: text('maxStoredJobs'),
    maxSchedules: text('maxSchedules'),
    relevancySeconds: text('relevancySeconds'),
    deadJobsDays: text('deadJobsDays'),
  };
}

/** Form for the limits of a client. Sends only changed fields, which the API refuses after another change. */
export function ClientLimitsDialog({ client, onClose }: { client: Client; onClose: () => void }) {
  const queries = useQueryClient();
  const [first] = useState(() => typedOf(client));
  const [typed, setTyped] = useState(first);
  const changed = fields.filter(({ name }) => typed[name].trim() !== first[name]);
  const isWrong = fields.some(({ name }) => typedNumber(typed[name]) === undefined);
  const save = useMutation({
    mutationFn: () => {
      const body: NonNullable<ChangeClientData['body']> = Object.fromEntries(
        changed.map(({ name }) => [name, typedNumber(typed[name]) ?? null]),
      );
      return changeClient({
        path: { id: client.id },
        headers: { 'if-match': `"${client.revision}"` },
        body,
        throwOnError: true,
      });
    },
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const problems = useFormErrors(save.error);
  return (
    <Dialog
      title={`Limits of ${client.name}`}
      lead="New limits apply within a second, in every process. Stored jobs stay. Limits of calls are set per endpoint."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button kind="ink" disabled={save.isPending || isWrong || changed.length === 0} onClick={() => save.mutate()}>
            Change {changed.length === 0 ? 'limits' : countOf(changed.length, 'limit')}
          </Button>
        </>
      }
    >
      <FormProblemsContext value={problems}>
        <div className="grid grid-cols-2 gap-3 items-start phone:grid-cols-1">
          {fields.map(({ name, label, hint, ...rest }) => (
            <FormField
              key={name}
              pointer={`/${name}`}
              label={label}
              hint={typedNumber(typed[name]) === undefined ? 'Has to be a number' : hint}
            >
              {(control) => (
                <TextInput
                  {...control}
                  inputMode="decimal"
                  {...rest}
                  value={typed[name]}
                  onText={(text) => setTyped({ ...typed, [name]: text })}
                />
              )}
            </FormField>
          ))}
        </div>
        <FormError error={save.error} />
      </FormProblemsContext>
    </Dialog>
  );
}
