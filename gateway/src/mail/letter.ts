/** The content of an email. */
export interface Letter {
  subject: string;
  /** Paragraphs before the links. */
  before: readonly string[];
  links: readonly { words: string; url: string }[];
  /** Paragraphs after them. */
  after: readonly string[];
}
