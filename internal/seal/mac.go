package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// MAC signs a message for one purpose with the current key (HMAC-SHA256); the
// result is safe in a URL. A signature for one purpose never holds for another.
func (r *Ring) MAC(purpose, message string) string {
	return r.keys[0].mac(purpose, message)
}

// VerifyMAC says whether mac was made by MAC with any key of the ring, in a time
// that does not depend on how nearly it was right.
func (r *Ring) VerifyMAC(purpose, message, mac string) bool {
	valid := false
	for _, k := range r.keys {
		// The texts are compared, not the bytes: one signature has one spelling.
		if hmac.Equal([]byte(k.mac(purpose, message)), []byte(mac)) {
			valid = true
		}
	}
	return valid
}

func (k *key) mac(purpose, message string) string {
	secret, err := k.derive(nil, "belay mac v1 "+purpose)
	if err != nil {
		panic(err) // only a length beyond HKDF's limit fails, and ours is fixed
	}
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(message))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
