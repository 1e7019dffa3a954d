import { useQuery } from '@tanstack/react-query';
import { listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import { Select } from '../../parts/controls/controls.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { everyType, formatActionType } from './list-words.ts';

interface TypeChoiceProps {
  value: string;
  onChoose: (actionType: string) => void;
  isFocused?: true;
}

export function TypeChoice({ value, onChoose, isFocused }: TypeChoiceProps) {
  const types = useQuery(listActionTypesOptions());
  const names = types.data?.items.filter(({ check }) => !check).map(({ name }) => name) ?? [];
  const choices = [...new Set([everyType, ...names, value])].map((name) => ({
    value: name,
    label: formatActionType(name),
  }));
  return (
    <FormField pointer="/actionType" label="Not called by">
      {(control) => (
        <Select {...control} value={value} choices={choices} onChoose={onChoose} data-autofocus={isFocused} />
      )}
    </FormField>
  );
}
