#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

// For .cc files of this folder only.
namespace quorate::http {

// From here on `told` says of connections of the context why their peer's certificate was not
// trusted: which certificate of the chain, by whom it was issued, and what is wrong with it.
void tell_verify_failures(SSL_CTX* context, std::shared_ptr<std::string> told);

}  // namespace quorate::http
