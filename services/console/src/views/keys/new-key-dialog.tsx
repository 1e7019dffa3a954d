import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ComponentProps } from 'react';
import { createApiKey } from '#client/sdk.gen.ts';
import type { ApiKey } from '#client/types.gen.ts';
import { roleWords, type Role } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Issued } from '../../parts/controls/issued.tsx';
import {
  boundsInWords,
  boundsOfForm,
  emptyForm,
  formLike,
  keyOfForm,
  roleSaid,
  scopeInWords,
  type KeyForm,
} from './key-words.ts';
import { RefusedWhole } from '../../parts/forms/refused-whole.tsx';

const roles: readonly Role[] = ['viewer', 'scheduler', 'manager', 'approver', 'operator'];

interface NewKeyDialogProps {
  /** One that has ended, whose place it takes. */
  like?: ApiKey | undefined;
  onClose: () => void;
}

/** Who gets a key, for what, and until when; then its secret, once. */
export function NewKeyDialog({ like, onClose }: NewKeyDialogProps) {
  const queries = useQueryClient();
  const [form, setForm] = useState(like ? formLike(like) : emptyForm);
  const make = useMutation({
    mutationFn: async () => (await createApiKey({ body: keyOfForm(form) })).data,
    onSuccess: () => queries.invalidateQueries(),
  });
  const change = (part: Partial<KeyForm>) => setForm({ ...form, ...part });
  const problems = useRefusedFields(make.error);
  const issued = make.data;
  const { scope } = keyOfForm(form);
  const { clients = null, countries = null, actionTypes = null } = scope ?? {};
  const bounds = boundsOfForm(form);
  const bounded = bounds && boundsInWords(bounds);
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      actions={
        issued ? (
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              kind="ink"
              disabled={make.isPending}
              refusal={bounds === undefined ? 'A bound has to be a number, or empty' : undefined}
              onClick={() => make.mutate()}
            >
              Make the key
            </Button>
          </>
        )
      }
    >
      {issued ? (
        <Issued what="key" name={issued.key.name} secret={issued.secret} />
      ) : (
        <FormProblemsContext value={problems}>
          <Field
            pointer="/name"
            label="Name"
            required
            value={form.name}
            onText={(name) => change({ name })}
            autofocus
          />
          <Field
            pointer="/owner"
            label="Owner"
            hint="The team to ask"
            value={form.owner}
            onText={(owner) => change({ owner })}
          />
          <RoleField role={form.role} onRole={(role) => change({ role })} />
          {scopeFields.map(({ name, label, hint }) => (
            <Field
              key={name}
              {...{ pointer: `/scope/${name}`, label, hint }}
              value={form[name]}
              onText={(text) => change({ [name]: text })}
            />
          ))}
          <fieldset className="min-w-0 m-0 px-3 pt-2 pb-3 border border-line rounded-md">
            <legend className="px-1 text-sm leading-4 font-medium">Bounds of its own</legend>
            <div className="grid grid-cols-3 gap-3.5 items-start phone:grid-cols-1 *:min-w-0">
              {boundFields.map(({ name, label }) => (
                <Field
                  key={name}
                  {...{ pointer: `/bounds/${name}`, label }}
                  value={form[name]}
                  onText={(text) => change({ [name]: text })}
                />
              ))}
            </div>
            <p className="hint">Within what its clients may have; empty: as they may</p>
          </fieldset>
          <Field
            pointer="/expiresAt"
            label="Expires"
            hint="At the beginning of that day, UTC; empty: never. Notices tell it 14 and 3 days before"
            type="date"
            value={form.expires}
            onText={(expires) => change({ expires })}
          />
          <p className="sm t2">
            It may: {roleSaid[form.role]}. It is for {scopeInWords({ clients, countries, actionTypes })}
            {bounded && `, with at most ${bounded}`}.
          </p>
          <RefusedWhole error={make.error} />
        </FormProblemsContext>
      )}
    </Dialog>
  );
}

const scopeFields = [
  { name: 'clients', label: 'Clients', hint: 'Whose jobs and schedules it sees and may touch; empty: all' },
  { name: 'countries', label: 'Countries', hint: 'Campaigns that it may change, such as SG, ID; empty: all' },
  { name: 'actionTypes', label: 'Action types', hint: 'The same of their actions; empty: all' },
] as const;

const boundFields = [
  { name: 'jobsPerSecond', label: 'Jobs a second' },
  { name: 'storedJobs', label: 'Jobs stored' },
  { name: 'requestsPerMinute', label: 'Requests a minute' },
] as const;

interface FieldProps extends Pick<ComponentProps<typeof FormField>, 'pointer' | 'label' | 'hint' | 'required'> {
  value: string;
  onText: (text: string) => void;
  type?: 'text' | 'date';
  autofocus?: true;
}

function Field({ value, onText, type = 'text', autofocus, ...field }: FieldProps) {
  return (
    <FormField {...field}>
      {(control) => (
        <input
          {...control}
          className="inp"
          type={type}
          autoComplete="off"
          value={value}
          data-autofocus={autofocus}
          onChange={({ target }) => onText(target.value)}
        />
      )}
    </FormField>
  );
}

function RoleField({ role, onRole }: { role: Role; onRole: (role: Role) => void }) {
  return (
    <FormField pointer="/role" label="Role">
      {(control) => (
        <select
          {...control}
          className="inp"
          value={role}
          onChange={({ target }) => onRole(roles.find((each) => each === target.value) ?? role)}
        >
          {roles.map((each) => (
            <option key={each} value={each}>
              {roleWords[each]}: {roleSaid[each]}
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}
