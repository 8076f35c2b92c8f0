#pragma once

#include <memory>
#include <utility>

#include "src/base/digest.h"
#include "src/base/transaction.h"

namespace quorate::cluster {

class Model;

// Something that takes part of what a pod needs besides its demand, for example devices. Immutable.
class Hold {
 public:
  virtual ~Hold() = default;
};

// What a folder above keeps about the same nodes, so that a fork of the model is a fork of it too
// and its changes are undone by the same journal. There is one: src/devices.
class Extension {
 public:
  virtual ~Extension() = default;
  virtual std::unique_ptr<Extension> clone() const = 0;
  virtual void digest(Digest& digest) const = 0;
  // A reservation keeps, or gives back, what a hold stands for.
  virtual void take(Model& model, Journal& journal, const Hold& hold) = 0;
  virtual void give_back(Model& model, Journal& journal, const Hold& hold) = 0;
};

// Copies what it owns.
class OwnedExtension {
 public:
  OwnedExtension() = default;
  explicit OwnedExtension(std::unique_ptr<Extension> owned) : owned_(std::move(owned)) {}
  OwnedExtension(const OwnedExtension& other)
      : owned_(other.owned_ == nullptr ? nullptr : other.owned_->clone()) {}
  OwnedExtension(OwnedExtension&&) noexcept = default;
  OwnedExtension& operator=(OwnedExtension other) noexcept {
    owned_ = std::move(other.owned_);
    return *this;
  }
  ~OwnedExtension() = default;

  Extension* get() const { return owned_.get(); }

 private:
  std::unique_ptr<Extension> owned_;
};

}  // namespace quorate::cluster
