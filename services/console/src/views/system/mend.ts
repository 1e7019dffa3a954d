/** Something that an operator has to mend: what it is, what it does, and how. */
export interface Mend {
  key: string;
  title: string;
  text: string;
}
