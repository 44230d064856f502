// A plugin of oclgrind that writes down every load and store of every work-item: which bytes of which object. Built and loaded by
// tests/access_picture.rs, which reads what it writes.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "Context.h"
#include "Memory.h"
#include "Plugin.h"
#include "WorkItem.h"

namespace
{
// One line of the file. Numbers are in the machine's byte order.
struct Record
{
  uint8_t what;     // 'K' a kernel begins, 'P' a variable of a program, 'H' an object of the host, 'L' a load, 'S' a store
  uint8_t is_local; // whether it is the group's memory, of a load or store
  uint16_t size;    // bytes
  uint16_t x, y;    // the work-item's place in the NDRange
  uint64_t address; // number of the object in the upper 16 bits, offset in the others
};

class Recorder : public oclgrind::Plugin
{
public:
  explicit Recorder(const oclgrind::Context* context) : Plugin(context)
  {
    const char* path = getenv("KERNEL_LADDER_RECORDER_FILE");
    m_file = path ? fopen(path, "ab") : nullptr;
  }

  ~Recorder() override
  {
    if (m_file)
      fclose(m_file);
  }

  void kernelBegin(const oclgrind::KernelInvocation*) override
  {
    write({'K', 0, 0, 0, 0, 0});
  }

  void kernelEnd(const oclgrind::KernelInvocation*) override
  {
    if (m_file)
      fflush(m_file);
  }

  // What a program brings along is allocated without flags, and what the host allocates with some.
  void memoryAllocated(const oclgrind::Memory* memory, size_t address, size_t, cl_mem_flags flags, const uint8_t*) override
  {
    if (memory->getAddressSpace() == oclgrind::AddrSpaceGlobal)
      write({uint8_t(flags == 0 ? 'P' : 'H'), 0, 0, 0, 0, address});
  }

  void memoryLoad(const oclgrind::Memory* memory, const oclgrind::WorkItem* item, size_t address, size_t size) override
  {
    access('L', memory, item, address, size);
  }

  void memoryStore(const oclgrind::Memory* memory, const oclgrind::WorkItem* item, size_t address, size_t size, const uint8_t*) override
  {
    access('S', memory, item, address, size);
  }

  bool isThreadSafe() const override
  {
    return false;
  }

private:
  FILE* m_file;

  void access(uint8_t what, const oclgrind::Memory* memory, const oclgrind::WorkItem* item, size_t address, size_t size)
  {
    const unsigned space = memory->getAddressSpace();
    if (space == oclgrind::AddrSpacePrivate)
      return;
    const oclgrind::Size3 place = item->getGlobalID();
    const uint8_t is_local = space == oclgrind::AddrSpaceLocal;
    write({what, is_local, (uint16_t)size, (uint16_t)place.x, (uint16_t)place.y, address});
  }

  void write(const Record& record)
  {
    if (m_file)
      fwrite(&record, sizeof record, 1, m_file);
  }
};

std::map<oclgrind::Context*, Recorder*> recorders;
} // namespace

extern "C" void initializePlugins(oclgrind::Context* context)
{
  recorders[context] = new Recorder(context);
  context->registerPlugin(recorders[context]);
}

extern "C" void releasePlugins(oclgrind::Context* context)
{
  context->unregisterPlugin(recorders[context]);
  delete recorders[context];
  recorders.erase(context);
}
