package site

// EncryptionKey is a key that data may be sealed with. Only its fingerprint is known.
type EncryptionKey struct {
	Fingerprint string // begins with the key's id, which all that it sealed carries
	Leads       bool   // it seals what is new
}
